package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;

import static org.assertj.core.api.Assertions.assertThat;

class AutoConfigurationRegistrationTests {

	@Test
	void importsWhenReadNameTheAutoConfigurations() {
		assertThat(ImportCandidates.load(AutoConfiguration.class, null)).contains(
				DistributedLockAutoConfiguration.class.getName(),
				DistributedLockDisabledAutoConfiguration.class.getName(),
				DistributedLockObservationAutoConfiguration.class.getName(),
				LeaderElectionAutoConfiguration.class.getName(), LeaderHealthAutoConfiguration.class.getName(),
				LeaderInfoAutoConfiguration.class.getName(), LockEndpointAutoConfiguration.class.getName(),
				LockHealthAutoConfiguration.class.getName(), LockIntegrationAutoConfiguration.class.getName(),
				ShedLockAutoConfiguration.class.getName());
	}

	/**
	 * The slice is called differently in Spring Boot 4 and 3. It has neither the actuator
	 * nor Spring Integration, as slices do not.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "org.springframework.boot.data.redis.test.autoconfigure.AutoConfigureDataRedis",
			"org.springframework.boot.test.autoconfigure.data.redis.AutoConfigureDataRedis" })
	void importsOfTheRedisSliceAreThoseOfLocksAndMeters(String slice) throws IOException {
		assertThat(imports(slice)).isNotBlank()
			.isEqualTo(imports(AutoConfiguration.class.getName())
				.replaceAll(".*\\.(Lock(Endpoint|Health|Integration)|Leader(Health|Info))AutoConfiguration\n", ""));
	}

	private static String imports(String annotation) throws IOException {
		try (InputStream in = DistributedLockAutoConfiguration.class
			.getResourceAsStream("/META-INF/spring/%s.imports".formatted(annotation))) {
			return new String(Objects.requireNonNull(in, annotation).readAllBytes(), StandardCharsets.UTF_8);
		}
	}

	/** A wrong order leaves an application of an older Spring Boot without a store. */
	@Test
	void orderIsAfterTheRedisAutoConfigurationOfEveryGeneration() {
		AutoConfiguration annotation = DistributedLockAutoConfiguration.class.getAnnotation(AutoConfiguration.class);
		assertThat(annotation.afterName()).containsExactlyInAnyOrder(
				"org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
				"org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration");
	}

}

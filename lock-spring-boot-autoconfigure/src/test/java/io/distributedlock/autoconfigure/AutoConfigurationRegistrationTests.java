package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.context.annotation.ImportCandidates;

import static org.assertj.core.api.Assertions.assertThat;

class AutoConfigurationRegistrationTests {

	@Test
	void importsWhenReadNameTheAutoConfigurations() {
		assertThat(ImportCandidates.load(AutoConfiguration.class, null)).contains(
				DistributedLockAutoConfiguration.class.getName(),
				DistributedLockDisabledAutoConfiguration.class.getName());
	}

	/** A wrong order leaves an application of an older Spring Boot without a store. */
	@Test
	void orderWhenReadComesAfterTheRedisAutoConfigurationOfEveryGeneration() {
		AutoConfiguration annotation = DistributedLockAutoConfiguration.class.getAnnotation(AutoConfiguration.class);
		assertThat(annotation.afterName()).containsExactlyInAnyOrder(
				"org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
				"org.springframework.boot.autoconfigure.data.redis.RedisAutoConfiguration");
	}

}

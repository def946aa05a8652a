package io.distributedlock.autoconfigure;

import java.io.IOException;

import io.distributedlock.interceptor.internal.LockCallRoot;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.data.redis.connection.jedis.JedisClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

class LockRuntimeHintsTests {

	@Test
	void hintsWhenRegisteredCoverEveryScript() throws Exception {
		RuntimeHints hints = new RuntimeHints();
		new LockRuntimeHints().registerHints(hints, getClass().getClassLoader());
		Resource[] scripts = new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/distributedlock/**/*.lua");
		assertThat(scripts).isNotEmpty()
			.allSatisfy((script) -> assertThat(RuntimeHintsPredicates.resource().forResource(nameOf(script)))
				.accepts(hints));
	}

	private static String nameOf(Resource script) throws IOException {
		String url = script.getURL().toString();
		return url.substring(url.lastIndexOf("io/distributedlock/"));
	}

	/** Expressions such as #root.methodName found nothing in a native image. */
	@ParameterizedTest
	@ValueSource(strings = { "getMethod", "getMethodName", "getTarget", "getTargetClass", "getArgs" })
	void hintsWhenRegisteredCoverTheRootOfExpressions(String getter) {
		RuntimeHints hints = new RuntimeHints();
		new LockRuntimeHints().registerHints(hints, getClass().getClassLoader());
		assertThat(HintPredicates.onMethodInvocation(LockCallRoot.class, getter)).accepts(hints);
	}

	/** Without it there would be no store in a native image. */
	@Test
	void hintsWhenRegisteredCoverTheConfigurationOfLettucesFactory() throws Exception {
		RuntimeHints hints = new RuntimeHints();
		new LockRuntimeHints().registerHints(hints, getClass().getClassLoader());
		assertThat(HintPredicates.onFieldAccess(LettuceConnectionFactory.class, "configuration")).accepts(hints);
	}

	/**
	 * Without it there would be no connections of the locks in a native image with Jedis.
	 */
	@ParameterizedTest
	@ValueSource(strings = { "isUseSsl", "getReadTimeout", "getClientName" })
	void hintsWhenRegisteredCoverTheProxyOfTheSettingsOfJedis(String setting) {
		RuntimeHints hints = new RuntimeHints();
		new LockRuntimeHints().registerHints(hints, getClass().getClassLoader());
		assertThat(RuntimeHintsPredicates.proxies().forInterfaces(JedisClientConfiguration.class)).accepts(hints);
		assertThat(HintPredicates.onMethodInvocation(JedisClientConfiguration.class, setting)).accepts(hints);
	}

	@Test
	void hintsWhenTheAutoConfigurationIsProcessedAreImported() {
		assertThat(DistributedLockAutoConfiguration.class.getAnnotation(ImportRuntimeHints.class).value())
			.contains(LockRuntimeHints.class);
	}

	/**
	 * Without it locks on Jedis would trust other certificates than the application. With
	 * Spring Boot 3 those are of the servers.
	 */
	@Test
	void hintsWhenRegisteredCoverTheDetailsOfTheConnection() {
		RuntimeHints hints = new RuntimeHints();
		new LockRuntimeHints().registerHints(hints, getClass().getClassLoader());
		Class<?> holder = BootTypes.either("data.redis.autoconfigure.DataRedisConnectionDetails",
				"autoconfigure.data.redis.RedisConnectionDetails$Standalone");
		assertThat(HintPredicates.onMethodInvocation(holder, "getSslBundle")).accepts(hints);
	}

	/** Without it a native image would not find the database of the locks. */
	@ParameterizedTest
	@CsvSource({ "JdbcConnectionDetails, getJdbcUrl", "JdbcConnectionDetails, getPassword",
			"JdbcConnectionDetails, getDriverClassName", "DataSourceProperties, getUrl" })
	void hintsWhenRegisteredCoverTheDetailsOfTheDataSource(String type, String getter) {
		RuntimeHints hints = new RuntimeHints();
		new LockRuntimeHints().registerHints(hints, getClass().getClassLoader());
		assertThat(HintPredicates.onMethodInvocation(BootTypes.of("jdbc", type), getter)).accepts(hints);
	}

}

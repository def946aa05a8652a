package io.distributedlock.autoconfigure;

import java.util.function.UnaryOperator;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.store.StoreCapability;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.target.SingletonTargetSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** Locks on Jedis in an application that uses Lettuce. */
class JedisForLocksIntegrationTests {

	private static final Class<?> OPTIONS = BootTypes.of("data.redis", "LettuceClientOptionsBuilderCustomizer");

	private static RedisServer server;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(BootTypes.REDIS, DistributedLockAutoConfiguration.class))
		.withPropertyValues("spring.data.redis.port=" + server.port(), "distributed-lock.redis.command-timeout=20s",
				"distributed-lock.redis.driver=jedis");

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
		server.ask("ACL", "SETUSER", "locks", "on", ">secret", "~*", "&*", "+@all");
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@Test
	void locksUseJedisAndTheApplicationLettuce() {
		this.runner
			.withPropertyValues("spring.data.redis.database=3", "spring.data.redis.username=locks",
					"spring.data.redis.password=secret", "spring.data.redis.client-name=shop")
			.run((context) -> {
				assertThat(context).hasSingleBean(LettuceConnectionFactory.class)
					.hasSingleBean(RedisConnectionFactory.class);
				try (Lease lease = context.getBean(LockRegistry.class).acquire(LockRequest.of("order"))) {
					assertThat(lease.isHeld()).isTrue();
					assertThat(context.getBean(RedisLockStore.class).place()).contains(":" + server.port());
					assertThat(clients()).noneMatch((client) -> client.contains("lettuce"));
					assertThat(clients()).filteredOn((client) -> client.contains("cmd=eval"))
						.isNotEmpty()
						.allSatisfy((client) -> assertThat(client).contains("name=shop", "db=3", "user=locks"));
				}
			});
	}

	/**
	 * The connections other than that of the test. One that is being opened has no name
	 * and no database yet.
	 */
	private static Stream<String> clients() {
		return server.ask("CLIENT", "LIST").toString().lines().filter((client) -> !client.contains("cmd=client"));
	}

	@Test
	void callerRunsItsCommandsItself() {
		this.runner.run((context) -> assertThat(context.getBean(RedisLockStore.class).capabilities())
			.contains(StoreCapability.CALLER_THREAD));
	}

	static Stream<Arguments> refusals() {
		return Stream.of(
				refusal("connection=shared", (it) -> it.withPropertyValues("distributed-lock.redis.connection=shared")),
				refusal("redis.clients:jedis",
						(it) -> it.withClassLoader(new FilteredClassLoader("redis.clients.jedis"))),
				refusal("replica-acks", (it) -> it.withPropertyValues("distributed-lock.redis.replica-acks=1")),
				refusal("'options', a LettuceClientOptionsBuilderCustomizer",
						(it) -> withCustomizer(it, "options", OPTIONS)),
				refusal("'client', a LettuceClientConfigurationBuilderCustomizer",
						(it) -> withCustomizer(it, "client",
								BootTypes.of("data.redis", "LettuceClientConfigurationBuilderCustomizer"))),
				refusal("'resources', a ClientResourcesBuilderCustomizer",
						(it) -> withCustomizer(it, "resources",
								BootTypes.of("data.redis", "ClientResourcesBuilderCustomizer"))),
				refusal("'dns', a ClientResources",
						(it) -> it.withBean("dns", ClientResources.class, DefaultClientResources::create)),
				refusal("$Proxy", (it) -> it.withBean(BeanPostProcessor.class, Proxies::new)),
				refusal("found one of the application",
						(it) -> it.withBean(LettuceConnectionFactory.class, LettuceConnectionFactory::new)),
				refusal("Derived", (it) -> it.withBean(LettuceConnectionFactory.class, Derived::new)));
	}

	private static Arguments refusal(String named, UnaryOperator<ApplicationContextRunner> cause) {
		return Arguments.of(named, cause);
	}

	private static <T> ApplicationContextRunner withCustomizer(ApplicationContextRunner runner, String name,
			Class<T> type) {
		return runner.withBean(name, type, () -> BootTypes.customizer(type));
	}

	@ParameterizedTest
	@MethodSource("refusals")
	void startWhenJedisCannotHaveAPartIsRefused(String named, UnaryOperator<ApplicationContextRunner> cause) {
		assertRefused(named, cause.apply(this.runner));
	}

	/** Spring Boot 3 has no property for them. */
	@Test
	void startWhenReplicasAreNamedIsRefused() {
		assertRefused("RedisStaticMasterReplicaConfiguration",
				this.runner.withPropertyValues("spring.data.redis.masterreplica.nodes=localhost:1"));
	}

	private static void assertRefused(String named, ApplicationContextRunner runner) {
		runner.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(InvalidLockPropertyException.class)
			.hasMessageStartingWith("distributed-lock.redis.driver=jedis ")
			.hasMessageContaining(named)
			.hasMessageEndingWith("or remove this property: then the locks use the driver of the application."));
	}

	@Test
	void startWhenAParentChangesLettuceIsRefused() {
		withCustomizer(new ApplicationContextRunner(), "options", OPTIONS)
			.run((parent) -> this.runner.withParent(parent)
				.run((context) -> assertThat(context).getFailure()
					.rootCause()
					.hasMessageContaining("'options', a LettuceClientOptionsBuilderCustomizer")));
	}

	/** Puts a proxy before the connection factory, as tools for traces do. */
	private static final class Proxies implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String name) {
			return (bean instanceof LettuceConnectionFactory)
					? ProxyFactory.getProxy(RedisConnectionFactory.class, new SingletonTargetSource(bean)) : bean;
		}

	}

	/** A subclass, which may change anything. */
	private static final class Derived extends LettuceConnectionFactory {

	}

}

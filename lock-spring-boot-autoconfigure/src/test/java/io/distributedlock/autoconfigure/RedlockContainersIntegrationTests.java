package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.autoconfigure.RedlockConnectionDetails.Node;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.testcontainers.containers.GenericContainer;

import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

/** A quorum of the containers of a test, as the page on Redlock shows it. */
class RedlockContainersIntegrationTests {

	private static final List<RedisServer> SERVERS = new ArrayList<>();

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(BootTypes.REDIS, DistributedLockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=redlock", "distributed-lock.redlock.restart-delay=0",
				"distributed-lock.redis.command-timeout=20s");

	@BeforeAll
	static void startServers() {
		for (int i = 0; i < 3; i++) {
			SERVERS.add(RedisServers.start());
		}
	}

	@AfterAll
	static void stopServers() {
		SERVERS.forEach(RedisServer::close);
	}

	@Test
	void lockWhenNodesAreContainersIsOnThem() {
		this.runner.withBean(Free.class, () -> new Free(new ConcurrentLinkedQueue<>(SERVERS)))
			.withUserConfiguration(Quorum.class)
			.run((context) -> {
				LockRequest request = LockRequest.of("order").waitFor(Duration.ofSeconds(20));
				try (Lease lease = context.getBean(LockRegistry.class).acquire(request)) {
					assertThat(lease.isHeld()).isTrue();
					assertThat(SERVERS)
						.allSatisfy((server) -> assertThat(server.ask("KEYS", "*order*").toString()).contains("order"));
				}
			});
	}

	/** Thus they are not taken for nodes: the start does not get that far. */
	@Test
	void startWhenServiceConnectionsAreSeveralIsRefusedByBoot() {
		withService(withService(this.runner, "redis1", BootTypes.REDIS_DETAILS), "redis2", BootTypes.REDIS_DETAILS)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(NoUniqueBeanDefinitionException.class)
				.hasMessageContaining("RedisConnectionDetails"));
	}

	private static <T> ApplicationContextRunner withService(ApplicationContextRunner runner, String name,
			Class<T> details) {
		return runner.withBean(name, details, () -> mock(details));
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class Quorum {

		@Bean
		GenericContainer<?> redis1(Free free) {
			return redis(free);
		}

		@Bean
		GenericContainer<?> redis2(Free free) {
			return redis(free);
		}

		@Bean
		GenericContainer<?> redis3(Free free) {
			return redis(free);
		}

		@Bean
		RedlockConnectionDetails quorum(List<GenericContainer<?>> redis) {
			return () -> redis.stream().map((each) -> Node.of(each.getHost(), each.getFirstMappedPort())).toList();
		}

		private static GenericContainer<?> redis(Free free) {
			return new Container(free.servers().remove());
		}

	}

	/** The servers that no container has yet. */
	private record Free(Queue<RedisServer> servers) {
	}

	/** A server that looks like a container: there may be no Docker. */
	private static final class Container extends GenericContainer<Container> {

		private final RedisServer server;

		Container(RedisServer server) {
			super("redis:8");
			this.server = server;
		}

		@Override
		public String getHost() {
			return this.server.host();
		}

		@Override
		public Integer getFirstMappedPort() {
			return this.server.port();
		}

	}

}

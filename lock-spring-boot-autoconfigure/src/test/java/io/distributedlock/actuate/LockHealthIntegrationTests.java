package io.distributedlock.actuate;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisNodeAddress;
import io.distributedlock.redis.RedisQuorumNode;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.redlock.RedlockLockStore;
import io.distributedlock.redlock.RedlockSettings;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Each state of health, on a real Redis with the fault that it is for. */
class LockHealthIntegrationTests {

	/** A server that is well answers by then on a busy machine too. */
	private static final RedisStoreSettings SETTINGS = settings(Duration.ofSeconds(5));

	/** For tests of a server that does not answer. */
	private static final RedisStoreSettings IMPATIENT = settings(Duration.ofMillis(500));

	private static final Clock CLOCK = Clock.systemUTC();

	private static RedisServer server;

	private DefaultLockRegistry registry;

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
	}

	@AfterAll
	static void stopServer() {
		server.close();
	}

	@AfterEach
	void close() {
		if (this.registry != null) {
			this.registry.close();
		}
	}

	private static RedisStoreSettings settings(Duration commandTimeout) {
		return new RedisStoreSettings("lock:", Duration.ofSeconds(60), commandTimeout, true);
	}

	private Health health(LockStore store, Clock clock) {
		this.registry = new DefaultLockRegistry(store);
		return health(clock);
	}

	private Health health(Clock clock) {
		return new LockHealthIndicator(
				List.of(new LockSource("registry", this.registry, this.registry.store(), this.registry.statistics())),
				clock)
			.health();
	}

	/** How many servers have answered. */
	private static long answers(Health health) {
		Map<?, ?> nodes = (Map<?, ?>) health.getDetails().get("nodes");
		return nodes.values().stream().filter((node) -> node.toString().contains("answeredInMillis=")).count();
	}

	private static LockStore store(RedisStandaloneConfiguration configuration) {
		return store(configuration, SETTINGS);
	}

	private static LockStore store(RedisStandaloneConfiguration configuration, RedisStoreSettings settings) {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(configuration);
		factory.afterPropertiesSet();
		factory.start();
		return new RedisLockStore(factory, settings);
	}

	private static RedisStandaloneConfiguration configuration() {
		return new RedisStandaloneConfiguration(server.host(), server.port());
	}

	private static LockStore store() {
		return store(configuration());
	}

	@Test
	void serverThatAnswersIsUp() {
		Health health = health(store(), CLOCK);
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails().get("nodes").toString()).contains(server.host() + ":" + server.port(),
				"answeredInMillis=", "evictionPolicy=unlimited", "clockSkewMillis=");
		assertThat(health.getDetails()).containsEntry("held", 0).doesNotContainKey("problems");
	}

	@Test
	void memoryIsUp() {
		assertThat(health(new MemoryLockStore(), CLOCK).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void serverThatDoesNotAnswerIsDown() {
		this.registry = new DefaultLockRegistry(store(configuration(), IMPATIENT));
		server.pause();
		try {
			Health health = health(CLOCK);
			assertThat(health.getStatus()).isEqualTo(Status.DOWN);
			assertThat(health.getDetails().get("nodes").toString()).contains("failure=");
		}
		finally {
			server.resume();
		}
		await().until(() -> health(CLOCK).getStatus().equals(Status.UP));
	}

	/** The key of the library's own that is asked for was named. */
	@Test
	void serverThatIsGoneIsDownAndIsNamed() {
		Health health = health(store(new RedisStandaloneConfiguration("127.0.0.1", 1)), CLOCK);
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails().get("nodes").toString())
			.contains("failure=Cannot check Redis at 127.0.0.1:1: Connection refused");
	}

	@Test
	void serverThatMayDropLocksIsAWarning() {
		server.ask("CONFIG", "SET", "maxmemory", "200mb");
		server.ask("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
		try {
			Health health = health(store(), CLOCK);
			assertThat(health.getStatus()).isEqualTo(LockHealthIndicator.WARNING);
			assertThat(health.getDetails().get("problems").toString()).contains("may drop locks that are held",
					"allkeys-lru", "set maxmemory-policy to noeviction");
		}
		finally {
			server.ask("CONFIG", "SET", "maxmemory", "0");
			server.ask("CONFIG", "SET", "maxmemory-policy", "noeviction");
		}
		assertThat(health(CLOCK).getStatus()).isEqualTo(Status.UP);
	}

	/** As on many managed servers; asked once, since each refusal is logged there. */
	@Test
	void evictionPolicyThatTheUserMayNotSeeIsUnknown() {
		server.ask("ACL", "SETUSER", "blind", "on", ">secret", "~*", "&*", "+@all", "-info");
		server.ask("ACL", "LOG", "RESET");
		RedisStandaloneConfiguration configuration = configuration();
		configuration.setUsername("blind");
		configuration.setPassword("secret");
		Health health = health(store(configuration), CLOCK);
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails().get("nodes").toString()).contains("evictionPolicy=unknown");
		Object refusals = server.ask("ACL", "LOG");
		assertThat(health(CLOCK).getDetails().get("nodes").toString()).contains("evictionPolicy=unknown");
		assertThat((List<?>) server.ask("ACL", "LOG")).hasSameSizeAs((List<?>) refusals);
	}

	/** As with managed servers, which let no client administrate them. */
	@ParameterizedTest
	@ValueSource(strings = { "CONFIG", "ROLE", "CLUSTER", "ACL", "INFO" })
	void serverWithoutACommandForAdministratorsIsUp(String command) {
		try (RedisServer managed = RedisServers.start("--rename-command", command, "")) {
			Health health = health(store(new RedisStandaloneConfiguration(managed.host(), managed.port())), CLOCK);
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails()).doesNotContainKey("problems");
			assertThat(health.getDetails().get("nodes").toString())
				.contains("evictionPolicy=" + (command.equals("INFO") ? "unknown" : "unlimited"));
			this.registry.acquire(LockRequest.of("order")).close();
		}
	}

	@Test
	void clockThatIsFarFromThatOfTheServerIsAWarning() {
		assertThat(
				health(store(), Clock.offset(CLOCK, Duration.ofSeconds(-30))).getDetails().get("problems").toString())
			.contains(" ms ahead of that of this machine");
		Health behind = health(Clock.offset(CLOCK, Duration.ofSeconds(30)));
		assertThat(behind.getStatus()).isEqualTo(LockHealthIndicator.WARNING);
		assertThat(behind.getDetails().get("problems").toString()).contains(" ms behind that of this machine");
	}

	/** The server answers, and refuses renewals. */
	@Test
	void leaseWhoseRenewalIsOverdueIsAWarning() {
		Duration ttl = Duration.ofSeconds(12);
		server.ask("ACL", "SETUSER", "poor", "on", ">secret", "~*", "&*", "+@all");
		RedisStandaloneConfiguration configuration = configuration();
		configuration.setUsername("poor");
		configuration.setPassword("secret");
		this.registry = new DefaultLockRegistry(store(configuration));
		Lease lease = this.registry.acquire(LockRequest.of("overdue").ttl(ttl));
		server.ask("ACL", "SETUSER", "poor", "-hset");
		await().atMost(ttl).until(() -> health(CLOCK).getStatus().equals(LockHealthIndicator.WARNING));
		assertThat(health(CLOCK).getDetails()).containsEntry("overdueRenewals", 1).containsEntry("held", 1);
		assertThat(this.registry.held().get(0).failedRenewals()).isPositive();
		server.ask("ACL", "SETUSER", "poor", "+hset");
		await().until(() -> health(CLOCK).getStatus().equals(Status.UP));
		assertThat(lease.isHeld()).isTrue();
		lease.close();
	}

	@Test
	void quorumIsUpWhileAMajorityAnswers() {
		List<RedisServer> nodes = Stream.generate(() -> RedisServers.start()).limit(3).toList();
		try {
			List<RedisNodeAddress> addresses = nodes.stream()
				.map((node) -> new RedisNodeAddress(node.host(), node.port(), 0, null, null, null))
				.toList();
			this.registry = new DefaultLockRegistry(new RedlockLockStore(
					RedisQuorumNode.connect(addresses, IMPATIENT, Duration.ZERO), RedlockSettings.DEFAULTS));
			await().until(() -> health(CLOCK).getStatus().equals(Status.UP));
			nodes.get(0).kill();
			Health health = await().until(() -> health(CLOCK), (seen) -> answers(seen) == 2);
			assertThat(health.getStatus()).isEqualTo(Status.UP);
			assertThat(health.getDetails().get("nodes").toString()).contains("failure=", "answeredInMillis=");
			nodes.get(1).kill();
			assertThat(health(CLOCK).getStatus()).isEqualTo(Status.DOWN);
		}
		finally {
			nodes.forEach(RedisServer::close);
		}
	}

}

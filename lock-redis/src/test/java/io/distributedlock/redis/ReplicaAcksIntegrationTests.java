package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.embedded.RedisReplicas;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import io.distributedlock.test.store.Patience;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.KillArgs;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.ProtocolVersion;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Replicas that have to confirm an acquisition. They confirm whatever was written before
 * a connection was opened, or by another one: each test here would see a grant if WAIT
 * went over another connection than the script, after a first acquisition that is
 * confirmed.
 */
class ReplicaAcksIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	/** How long a replica may take that is there, on a busy machine. */
	private static final Duration ACKS = Duration.ofSeconds(15);

	private static final RedisStoreSettings SETTINGS = new RedisStoreSettings("lock:", Duration.ofSeconds(60),
			Duration.ofSeconds(20), true)
		.withReplicaAcks(new ReplicaAcks(1, Duration.ofMillis(300)));

	private static RedisReplicas servers;

	private static RedisServer primary;

	private static RedisServer replica;

	private static RedisClient client;

	private static RedisCommands<String, String> redis;

	private final LockKey key = StoreUnderTest.newKey();

	private boolean replicaIsStopped;

	@BeforeAll
	static void startServers() {
		servers = RedisReplicas.start(1);
		primary = servers.master();
		replica = servers.replicas().get(0);
		client = RedisClient.create();
		redis = client.connect(RedisURI.create(primary.host(), primary.port())).sync();
	}

	@AfterAll
	static void stopServers() {
		client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		servers.close();
	}

	@AfterEach
	void resumeReplica() {
		if (this.replicaIsStopped) {
			replica.resume();
		}
	}

	/** Stop it once it has confirmed all so far: only later writes are missing. */
	private void stopReplica() {
		redis.ping();
		assertThat(redis.waitForReplication(1, PATIENCE.toMillis())).isEqualTo(1);
		replica.pause();
		this.replicaIsStopped = true;
	}

	@Test
	void acquireWhenReplicaConfirmsIsGrantedAndOnTheReplica() {
		try (StoreUnderTest one = store(ACKS)) {
			RequestId request = one.request();
			assertThat(outcome(one.acquire(this.key, request))).isInstanceOf(Granted.class);
			LockOnTheWire copy = new LockOnTheWire(
					client.connect(RedisURI.create(replica.host(), replica.port())).sync());
			assertThat(copy.status("lock:" + this.key.encoded(), request.toString())).isEqualTo("held");
		}
	}

	@Test
	void acquireWhenServerForgotTheScriptIsGranted() {
		try (StoreUnderTest one = store(ACKS)) {
			redis.scriptFlush();
			assertThat(outcome(one.acquire(this.key, one.request()))).isInstanceOf(Granted.class);
		}
	}

	@Test
	void acquireWhenRepeatedGivesTheSameToken() {
		try (StoreUnderTest one = store(ACKS)) {
			RequestId request = one.request();
			AcquireOutcome first = outcome(one.acquire(this.key, request));
			assertThat(outcome(one.acquire(this.key, request))).isInstanceOf(Granted.class).isEqualTo(first);
		}
	}

	@Test
	void acquireWhenReplicaIsStoppedFailsAndLeavesTheLockFree() {
		RedisConnectionFactory factory = LeastPrivilege.connect(DriverUnderTest.LETTUCE, primary);
		try (DefaultLockRegistry here = new DefaultLockRegistry(new RedisLockStore(factory, SETTINGS));
				DefaultLockRegistry there = new DefaultLockRegistry(
						new RedisLockStore(factory, RedisStoreSettings.DEFAULTS))) {
			LockRequest request = request();
			here.acquire(request).close();
			stopReplica();
			assertThatExceptionOfType(ReplicasNotAcknowledgedException.class)
				.isThrownBy(() -> here.tryAcquire(request.waitFor(Duration.ZERO)))
				.withMessageContainingAll("0 of 1 replicas", "300 ms", "replica-acks")
				.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(Kind.UNAVAILABLE))
				.satisfies((ex) -> assertThat(ex.getWanted()).isEqualTo(1))
				.satisfies((ex) -> assertThat(ex.getAcknowledged()).isZero());
			there.acquire(request.waitFor(PATIENCE)).close();
		}
		DriverUnderTest.close(factory);
	}

	@Test
	void acquireWhenReplicaStaysStoppedFailsAtTheEndOfTheBudget() {
		RedisConnectionFactory factory = LeastPrivilege.connect(DriverUnderTest.LETTUCE, primary);
		try (DefaultLockRegistry registry = new DefaultLockRegistry(new RedisLockStore(factory, SETTINGS))) {
			LockRequest request = request();
			registry.acquire(request).close();
			stopReplica();
			assertThatExceptionOfType(ReplicasNotAcknowledgedException.class)
				.isThrownBy(() -> registry.tryAcquire(request.waitFor(Duration.ofSeconds(4))))
				.withMessageContaining("0 of 1 replicas");
		}
		DriverUnderTest.close(factory);
	}

	@Test
	void acquireWhenReplicaIsBackWithinTheBudgetIsGranted() throws Exception {
		RedisConnectionFactory factory = LeastPrivilege.connect(DriverUnderTest.LETTUCE, primary);
		try (DefaultLockRegistry registry = new DefaultLockRegistry(new RedisLockStore(factory, SETTINGS))) {
			LockRequest request = request();
			registry.acquire(request).close();
			stopReplica();
			long before = scripts();
			CompletableFuture<Lease> waiting = registry.acquireAsync(request.waitFor(PATIENCE)).toCompletableFuture();
			Awaitility.await().until(() -> scripts() >= before + 2);
			assertThat(waiting).isNotDone();
			replica.resume();
			this.replicaIsStopped = false;
			waiting.get().close();
		}
		DriverUnderTest.close(factory);
	}

	/** Replicas that take their time: the confirmation is late, but not too late. */
	@Test
	void acquireWhenReplicaIsSlowWaitsForIt() {
		try (StoreUnderTest one = store(ACKS)) {
			outcome(one.acquire(StoreUnderTest.newKey(), one.request()));
			stopReplica();
			CompletableFuture<AcquireOutcome> slow = one.acquire(this.key, one.request());
			awaitBlocked(1);
			assertThat(slow).isNotDone();
			replica.resume();
			this.replicaIsStopped = false;
			assertThat(outcome(slow)).isInstanceOf(Granted.class);
		}
	}

	/**
	 * Lettuce reconnects and sends WAIT again, which is confirmed at once where nothing
	 * was sent before it on the new connection, not even a HELLO.
	 */
	@Test
	void acquireWhenConnectionIsCutWhileItWaitsIsNotGranted() {
		RedisConnectionFactory factory = lettuceWithoutHello();
		try (StoreUnderTest one = new StoreUnderTest(factory, SETTINGS.withReplicaAcks(new ReplicaAcks(1, ACKS)))) {
			outcome(one.acquire(StoreUnderTest.newKey(), one.request()));
			stopReplica();
			CompletableFuture<AcquireOutcome> cut = one.acquire(this.key, one.request());
			awaitBlocked(1);
			redis.clientKill(KillArgs.Builder.typeNormal().skipme());
			RedisLockStoreIntegrationTests.failure(cut, Kind.UNAVAILABLE);
		}
	}

	@Test
	void acquisitionsWhenReplicaIsStoppedDoNotQueueOneByOne() {
		try (StoreUnderTest one = store(Duration.ofSeconds(1))) {
			RequestId holder = one.request();
			Awaitility.await().ignoreExceptions().until(() -> one.acquire(this.key, holder).join() instanceof Granted);
			stopReplica();
			long start = System.nanoTime();
			List<CompletableFuture<AcquireOutcome>> many = IntStream.range(0, 100)
				.mapToObj((i) -> one.acquire(StoreUnderTest.newKey(), one.request()))
				.toList();
			CompletableFuture<AcquireOutcome> busy = one.acquire(this.key, one.request());
			assertThat(outcome(busy)).isInstanceOf(AcquireOutcome.Busy.class);
			many.forEach((each) -> RedisLockStoreIntegrationTests.failure(each, Kind.UNAVAILABLE));
			// It takes 100 s one by one, and 25 s over four connections.
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(18));
		}
	}

	@Test
	void acquireWhenStoreIsClosedFails() {
		StoreUnderTest one = store(ACKS);
		outcome(one.acquire(this.key, one.request()));
		one.close();
		RedisLockStoreIntegrationTests.failure(one.acquire(this.key, one.request()), Kind.UNAVAILABLE);
	}

	private static RedisConnectionFactory lettuceWithoutHello() {
		LettuceConnectionFactory factory = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(primary.host(), primary.port()),
				LettuceClientConfiguration.builder()
					.shutdownQuietPeriod(Duration.ZERO)
					.clientOptions(ClientOptions.builder().protocolVersion(ProtocolVersion.RESP2).build())
					.build());
		factory.afterPropertiesSet();
		factory.start();
		return factory;
	}

	private LockRequest request() {
		return LockRequest.of(this.key.key()).ttl(Duration.ofSeconds(30)).waitFor(PATIENCE);
	}

	private static StoreUnderTest store(Duration patience) {
		return new StoreUnderTest(LeastPrivilege.connect(DriverUnderTest.LETTUCE, primary),
				SETTINGS.withReplicaAcks(new ReplicaAcks(1, patience)));
	}

	private static AcquireOutcome outcome(CompletableFuture<AcquireOutcome> future) {
		assertThat(future).succeedsWithin(Patience.CEILING);
		return future.join();
	}

	private static void awaitBlocked(int clients) {
		Awaitility.await().until(() -> redis.info("clients").contains("blocked_clients:" + clients));
	}

	private static long scripts() {
		return redis.info("commandstats")
			.lines()
			.filter((line) -> line.startsWith("cmdstat_evalsha:"))
			.mapToLong((line) -> Long.parseLong(line.replaceAll("cmdstat_evalsha:calls=(\\d+),.*", "$1")))
			.findFirst()
			.orElse(0);
	}

}

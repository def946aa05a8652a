package io.distributedlock.redis;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.ReplicasNotAcknowledgedException;
import io.distributedlock.embedded.RedisReplicas;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.store.LockKey;
import io.distributedlock.test.store.Patience;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * A lock that replicas do not confirm is free again when its caller hears of that, and
 * while it tries again.
 */
class ReplicaMissIntegrationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(20);

	private static final RedisStoreSettings DEMANDING = new RedisStoreSettings("lock:", Duration.ofSeconds(60),
			StoreUnderTest.PATIENCE, true)
		.withReplicaAcks(new ReplicaAcks(1, Duration.ofMillis(100)));

	private static RedisReplicas servers;

	private static RedisServer replica;

	private static RedisClient client;

	private static RedisCommands<String, String> redis;

	private final LockKey key = StoreUnderTest.newKey();

	private RedisConnectionFactory factory;

	private DefaultLockRegistry here;

	private DefaultLockRegistry there;

	/** It does not care for replicas. */
	private DefaultLockRegistry easy;

	private final Set<String> gone = new HashSet<>();

	private boolean replicaIsStopped;

	@BeforeAll
	static void startServers() {
		servers = RedisReplicas.start(1);
		replica = servers.replicas().get(0);
		client = RedisClient.create();
		redis = client.connect(RedisURI.create(servers.master().host(), servers.master().port())).sync();
	}

	@AfterAll
	static void stopServers() {
		client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		servers.close();
	}

	@BeforeEach
	void open() {
		this.factory = LeastPrivilege.connect(DriverUnderTest.LETTUCE, servers.master());
		this.here = new DefaultLockRegistry(new RedisLockStore(this.factory, DEMANDING));
		this.there = new DefaultLockRegistry(new RedisLockStore(this.factory, DEMANDING));
		this.easy = new DefaultLockRegistry(new RedisLockStore(this.factory, StoreUnderTest.PATIENT));
	}

	@AfterEach
	void close() {
		resumeReplica();
		this.here.close();
		this.there.close();
		this.easy.close();
		DriverUnderTest.close(this.factory);
	}

	/**
	 * Stop the replica when it has confirmed all so far; only later writes are missing.
	 */
	private void stopReplica() {
		redis.ping();
		assertThat(redis.waitForReplication(1, PATIENCE.toMillis())).isEqualTo(1);
		replica.pause();
		this.replicaIsStopped = true;
	}

	private void resumeReplica() {
		if (this.replicaIsStopped) {
			replica.resume();
			this.replicaIsStopped = false;
		}
	}

	private LockRequest request(LockMode mode) {
		LockRequest request = LockRequest.of(this.key.key()).name(this.key.name()).ttl(Duration.ofSeconds(30));
		return (mode == LockMode.SEMAPHORE) ? request.permits(1) : request.mode(mode);
	}

	private static LockRequest once(LockRequest request) {
		return request.waitFor(Duration.ZERO);
	}

	private CompletableFuture<Lease> waiting(DefaultLockRegistry registry, LockMode mode) {
		return registry.acquireAsync(request(mode).waitFor(PATIENCE)).toCompletableFuture();
	}

	/** Once with a replica, so that the connections are there and only it is missing. */
	private void takeOnce(DefaultLockRegistry registry, LockMode mode) {
		registry.acquire(request(mode).waitFor(PATIENCE)).close();
	}

	private void assertMissed(DefaultLockRegistry registry, LockMode mode) {
		assertThatExceptionOfType(ReplicasNotAcknowledgedException.class)
			.isThrownBy(() -> registry.tryAcquire(once(request(mode))))
			.withMessageContaining("0 of 1 replicas");
	}

	private List<String> lock(String name) {
		return new LockOnTheWire(redis).lines("lock:" + this.key.encoded(), name);
	}

	private long holders() {
		return lock("holders").size() + (lock("status").contains("held") ? 1 : 0);
	}

	/** Others got it after some time, when the end of the request had arrived. */
	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void lockOfACallerThatTriedOnceIsFreeWhenItIsTold(LockMode mode) {
		takeOnce(this.here, mode);
		stopReplica();
		assertMissed(this.here, mode);
		assertThat(holders()).isZero();
		Optional<Lease> next = this.easy.tryAcquire(once(request(mode)));
		assertThat(next).isPresent();
		assertThat(next.orElseThrow().isHeld()).isTrue();
		next.orElseThrow().close();
	}

	/** Others were told that the lock is busy for as long as the first one went on. */
	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "READ", "SEMAPHORE" })
	void lockIsHadByAnotherWhileACallerWaitsForReplicas(LockMode mode) {
		takeOnce(this.here, mode);
		stopReplica();
		CompletableFuture<Lease> waiting = waiting(this.here, mode);
		Awaitility.await().until(() -> abandoned() >= 1);
		LockMode other = (mode == LockMode.READ) ? LockMode.EXCLUSIVE : mode;
		try (Lease lease = this.easy.acquire(request(other).waitFor(PATIENCE))) {
			assertThat(waiting).isNotDone();
			assertThat(holders()).isEqualTo(1);
			lease.checkHeld();
		}
		resumeReplica();
		assertGranted(waiting);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "SEMAPHORE" })
	void anotherCallerIsToldOfTheReplicasThatItMissesItself(LockMode mode) {
		takeOnce(this.here, mode);
		takeOnce(this.there, mode);
		stopReplica();
		CompletableFuture<Lease> waiting = waiting(this.here, mode);
		Awaitility.await()
			.ignoreException(LockNotAcquiredException.class)
			.untilAsserted(() -> assertMissed(this.there, mode));
		assertThat(waiting).isNotDone();
		waiting.cancel(true);
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void waiterGetsTheLockWhenTheReplicaIsBack(LockMode mode) {
		takeOnce(this.here, mode);
		stopReplica();
		CompletableFuture<Lease> waiting = waiting(this.here, mode);
		Awaitility.await().until(() -> abandoned() >= 2);
		assertThat(waiting).isNotDone();
		resumeReplica();
		assertGranted(waiting);
		Awaitility.await().until(() -> holders() == 0);
	}

	/** How many have queued at the end of the line, and not in the place of another. */
	private long tickets() {
		return lock("fair").stream().filter((line) -> Integer.parseInt(line.split(" ")[1]) > 0).count();
	}

	/** How many requests were seen that are gone. */
	private int abandoned() {
		lock("last").stream()
			.filter((line) -> line.contains(" gone "))
			.forEach((line) -> this.gone.add(line.split(" ")[0]));
		if (lock("status").contains("gone")) {
			this.gone.addAll(lock("owner"));
		}
		return this.gone.size();
	}

	private static void assertGranted(CompletableFuture<Lease> waiting) {
		assertThat(waiting).succeedsWithin(Patience.CEILING);
		waiting.join().close();
	}

	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "SEMAPHORE" })
	void callerWhoseBudgetEndsIsToldOfTheReplicasAndLeavesNothing(LockMode mode) {
		takeOnce(this.here, mode);
		stopReplica();
		assertThatExceptionOfType(ReplicasNotAcknowledgedException.class)
			.isThrownBy(() -> this.here.acquire(request(mode).waitFor(Duration.ofSeconds(3))));
		assertThat(this.easy.tryAcquire(request(mode).waitFor(PATIENCE))).hasValueSatisfying(Lease::close);
		Awaitility.await()
			.until(() -> Stream.of("fair", "readers", "admitted", "holders").allMatch((name) -> lock(name).isEmpty()));
	}

	/** Who had waited longest was sent to the end of the line after each miss. */
	@Test
	void fairOrderIsKeptWhileNoReplicaConfirms() {
		takeOnce(this.here, LockMode.FAIR);
		takeOnce(this.there, LockMode.FAIR);
		stopReplica();
		CompletableFuture<Lease> first = waiting(this.here, LockMode.FAIR);
		Awaitility.await().until(() -> abandoned() >= 1);
		CompletableFuture<Lease> second = waiting(this.there, LockMode.FAIR);
		Awaitility.await().until(() -> tickets() >= 1);
		CompletableFuture<Lease> third = waiting(this.here, LockMode.FAIR);
		Awaitility.await().until(() -> tickets() >= 2);
		int before = abandoned();
		Awaitility.await().until(() -> abandoned() >= before + 3);
		resumeReplica();
		List<String> order = new CopyOnWriteArrayList<>();
		CompletableFuture<?>[] all = Stream.of(first, second, third).map((one) -> one.thenAccept((lease) -> {
			order.add((one == first) ? "first" : (one == second) ? "second" : "third");
			lease.close();
		})).toArray(CompletableFuture<?>[]::new);
		assertThat(CompletableFuture.allOf(all)).succeedsWithin(Patience.CEILING);
		assertThat(order).containsExactly("first", "second", "third");
	}

	@Test
	void readerThatIsConfirmedIsLeftAloneWhenAnotherIsNot() {
		takeOnce(this.there, LockMode.READ);
		try (Lease reader = this.here.acquire(request(LockMode.READ).waitFor(PATIENCE))) {
			stopReplica();
			assertMissed(this.there, LockMode.READ);
			assertThat(holders()).isEqualTo(1);
			assertThat(this.easy.tryAcquire(once(request(LockMode.EXCLUSIVE)))).isEmpty();
			try (Lease another = this.easy.acquire(once(request(LockMode.READ)))) {
				assertThat(another.isHeld()).isTrue();
			}
			assertThat(reader.isHeld()).isTrue();
		}
	}

	/** Each of them has its turn, though none is confirmed. */
	@Test
	void readerAndWriterBothGetTheLockWhenTheReplicaIsBack() {
		takeOnce(this.here, LockMode.READ);
		takeOnce(this.there, LockMode.EXCLUSIVE);
		stopReplica();
		CompletableFuture<Lease> reader = waiting(this.here, LockMode.READ);
		CompletableFuture<Lease> writer = waiting(this.there, LockMode.EXCLUSIVE);
		Awaitility.await().until(() -> abandoned() >= 4);
		resumeReplica();
		CompletableFuture<Void> read = reader.thenAccept(Lease::close);
		CompletableFuture<Void> written = writer.thenAccept(Lease::close);
		assertThat(CompletableFuture.allOf(read, written)).succeedsWithin(Patience.CEILING);
	}

}

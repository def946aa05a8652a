package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.test.store.Patience;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Requests for different locks that gather while the server does not answer, and go as
 * one call when it does.
 */
abstract class GatheringContractTests {

	static final int MANY = 200;

	/**
	 * The calls that are on their way when the server stops, and the calls that the rest
	 * fits into; each by digest and by source.
	 */
	private static final int FEW_CALLS = 2 * (8 + 4);

	private final DriverUnderTest driver;

	RedisServer server;

	StoreUnderTest store;

	private StoreUnderTest other;

	GatheringContractTests(DriverUnderTest driver) {
		this.driver = driver;
	}

	@BeforeEach
	void start() {
		this.server = RedisServers.start(LeastPrivilege.serverSettings());
		this.store = connect(this.server);
		this.other = connect(this.server);
		joined(this.store, StoreUnderTest.newKey());
		joined(this.other, StoreUnderTest.newKey());
	}

	private StoreUnderTest connect(RedisServer to) {
		return new StoreUnderTest(this.driver.connect(LeastPrivilege.at(to)), StoreUnderTest.PATIENT);
	}

	@AfterEach
	void stop() {
		this.store.close();
		this.other.close();
		this.server.close();
	}

	/** Only the one place that all contenders of an instance share is for locks alone. */
	static RequestId request(StoreUnderTest of) {
		RequestId request = of.request();
		return RequestId.of(request.instanceBits(), 0, request.number(), 0);
	}

	static CompletableFuture<AcquireOutcome> acquire(StoreUnderTest of, LockKey key, RequestId request) {
		return of.store
			.acquire(new AcquireCommand(key, request, StoreUnderTest.TTL, Duration.ZERO, Duration.ofSeconds(30)));
	}

	private static AcquireOutcome joined(StoreUnderTest of, LockKey key) {
		return acquire(of, key, request(of)).join();
	}

	static List<LockKey> newKeys() {
		return IntStream.range(0, MANY).mapToObj((i) -> StoreUnderTest.newKey()).collect(Collectors.toList());
	}

	/** Send commands that keep the driver busy while the server is paused, if needed. */
	void occupy() {
	}

	/** In the order of the keys; nothing is answered before the server goes on. */
	List<CompletableFuture<AcquireOutcome>> acquireWhilePaused(List<LockKey> keys) {
		this.server.pause();
		occupy();
		return keys.stream().map((key) -> acquire(this.store, key, request(this.store))).collect(Collectors.toList());
	}

	long scriptCalls() {
		return CommandCounts.of(this.server, "evalsha") + CommandCounts.of(this.server, "eval");
	}

	static Kind failure(CompletableFuture<?> answer) {
		assertThat(answer).failsWithin(Patience.CEILING);
		return ((LockStoreException) answer.handle((value, failure) -> failure).join()).getKind();
	}

	static void assertGranted(List<CompletableFuture<AcquireOutcome>> answers) {
		assertThat(answers)
			.allSatisfy((answer) -> assertThat(answer).succeedsWithin(Patience.CEILING).isInstanceOf(Granted.class));
	}

	/** Wait for a lock that another one has, until wake-ups come. */
	private void subscribe(StoreUnderTest waiter, StoreUnderTest holder) {
		LockKey key = StoreUnderTest.newKey();
		joined(holder, key);
		assertThat(joined(waiter, key)).isInstanceOf(Busy.class);
		String channel = "lock:!wake:" + waiter.request().instance();
		Awaitility.await().until(() -> String.valueOf(this.server.ask("PUBSUB", "CHANNELS")).contains(channel));
	}

	@Test
	void manyRequestsGoInFewCalls() {
		List<CompletableFuture<AcquireOutcome>> answers = acquireWhilePaused(newKeys());
		assertThat(answers).noneMatch(CompletableFuture::isDone);
		this.server.resume();
		assertGranted(answers);
		assertThat(scriptCalls()).isLessThanOrEqualTo(FEW_CALLS);
	}

	@Test
	void releasesGatherToo() throws InterruptedException {
		List<LockKey> keys = newKeys();
		List<RequestId> requests = keys.stream().map((key) -> request(this.store)).toList();
		for (int i = 0; i < MANY; i++) {
			acquire(this.store, keys.get(i), requests.get(i)).join();
		}
		subscribe(this.other, this.store);
		assertThat(joined(this.other, keys.get(100))).isInstanceOf(Busy.class);
		long before = scriptCalls();
		this.server.pause();
		List<CompletableFuture<Ownership>> answers = IntStream.range(0, MANY)
			.mapToObj((i) -> this.store.store.release(new ReleaseCommand(keys.get(i), requests.get(i))))
			.toList();
		this.server.resume();
		assertThat(answers)
			.allSatisfy((answer) -> assertThat(answer).succeedsWithin(Patience.CEILING).isEqualTo(Ownership.HELD));
		assertThat(scriptCalls() - before).isLessThanOrEqualTo(FEW_CALLS);
		assertThat(this.other.awaitWakeUp()).as("for the lock that was busy").isEqualTo(keys.get(100).encoded());
		keys.forEach((key) -> assertThat(joined(this.other, key)).isInstanceOf(Granted.class));
	}

	@Test
	void busyLockLeavesItsWaiterEntryAndOthersAreGranted() throws InterruptedException {
		List<LockKey> keys = newKeys();
		RequestId holder = request(this.other);
		subscribe(this.store, this.other);
		acquire(this.other, keys.get(100), holder).join();
		List<CompletableFuture<AcquireOutcome>> answers = acquireWhilePaused(keys);
		this.server.resume();
		assertThat(answers.remove(100).join()).isInstanceOf(Busy.class);
		assertGranted(answers);
		assertThat(this.other.store.release(new ReleaseCommand(keys.get(100), holder)).join())
			.isEqualTo(Ownership.HELD);
		assertThat(this.store.awaitWakeUp()).isEqualTo(keys.get(100).encoded());
	}

	@Test
	void foreignValueFailsOnlyItsRequestAndStays() {
		List<LockKey> keys = newKeys();
		String text = "lock:" + keys.get(100).encoded();
		String account = "lock:" + keys.get(50).encoded();
		this.server.ask("SET", text, "foreign");
		this.server.ask("HSET", account, "balance", "100");
		List<CompletableFuture<AcquireOutcome>> answers = acquireWhilePaused(keys);
		this.server.resume();
		assertThat(failure(answers.remove(100))).isEqualTo(Kind.MISCONFIGURED);
		assertThat(failure(answers.remove(50))).isEqualTo(Kind.MISCONFIGURED);
		assertGranted(answers);
		assertThat(this.server.ask("GET", text)).isEqualTo("foreign");
		assertThat(this.server.ask("HGETALL", account)).isEqualTo(List.of("balance", "100"));
		assertThat(this.server.ask("PTTL", account)).isEqualTo(-1L);
	}

	/** A lock that others share is for the scripts that know all modes. */
	@Test
	void requestForWhichTheScriptDoesNotSufficeGoesOnAlone() {
		List<LockKey> keys = newKeys();
		RequestId reader = this.other.request();
		this.other.store
			.acquire(new AcquireCommand(List.of(keys.get(100)), reader, LockMode.READ, 0, null, StoreUnderTest.TTL,
					Duration.ZERO, Duration.ZERO, 0, false))
			.join();
		List<CompletableFuture<AcquireOutcome>> answers = acquireWhilePaused(keys);
		this.server.resume();
		assertThat(answers.remove(100).join()).isInstanceOf(Busy.class);
		assertGranted(answers);
	}

	@Test
	void scriptsThatTheServerHasForgottenAreSentAgain() {
		this.server.ask("SCRIPT", "FLUSH");
		List<CompletableFuture<AcquireOutcome>> answers = acquireWhilePaused(newKeys());
		this.server.resume();
		assertGranted(answers);
	}

	@Test
	void requestWhenCancelledBeforeItIsSentIsNeverSentAndOthersAre() {
		List<LockKey> keys = newKeys();
		List<CompletableFuture<AcquireOutcome>> answers = acquireWhilePaused(keys);
		answers.remove(100).cancel(true);
		this.server.resume();
		assertGranted(answers);
		assertThat(joined(this.other, keys.get(100))).isInstanceOf(Granted.class);
	}

	/** As at their time-outs; the server gets the requests that come later. */
	@Test
	void requestsWhenAllAreCancelledHoldUpNoOthers() {
		List<LockKey> keys = newKeys();
		acquireWhilePaused(keys).forEach((answer) -> answer.cancel(true));
		List<LockKey> later = newKeys();
		List<CompletableFuture<AcquireOutcome>> answers = new ArrayList<>();
		later.forEach((key) -> answers.add(acquire(this.store, key, request(this.store))));
		this.server.resume();
		assertGranted(answers);
		assertThat(joined(this.other, keys.get(MANY - 1))).isInstanceOf(Granted.class);
	}

	/** The driver repeats commands if it can, and fails the one whose answer it read. */
	@Test
	void connectionWhenLostHasAnOutcomeForEachAndNothingIsTakenTwice() {
		List<LockKey> keys = newKeys();
		this.server.pause();
		List<RequestId> requests = keys.stream().map((key) -> request(this.store)).toList();
		List<CompletableFuture<AcquireOutcome>> answers = IntStream.range(0, MANY)
			.mapToObj((i) -> acquire(this.store, keys.get(i), requests.get(i)))
			.toList();
		this.server.kill();
		this.server.start();
		for (int i = 0; i < MANY; i++) {
			assertThat(answers.get(i).handle((outcome, failure) -> true)).succeedsWithin(Patience.CEILING);
			if (answers.get(i).isCompletedExceptionally()) {
				assertThat(failure(answers.get(i))).isEqualTo(Kind.UNAVAILABLE);
			}
			AcquireOutcome again = acquireAtLast(keys.get(i), requests.get(i));
			assertThat(again).isInstanceOf(Granted.class);
			assertThat(answers.get(i).exceptionally((failure) -> again).join()).isEqualTo(again);
		}
	}

	/** The new connection may be lost as well. */
	private AcquireOutcome acquireAtLast(LockKey key, RequestId request) {
		return Awaitility.await()
			.ignoreExceptions()
			.until(() -> acquire(this.store, key, request).join(), Objects::nonNull);
	}

	@Test
	void replicaFailsEachRequest() {
		this.server.ask("REPLICAOF", "127.0.0.1", "1");
		List<CompletableFuture<AcquireOutcome>> answers = acquireWhilePaused(newKeys());
		this.server.resume();
		assertThat(answers).allSatisfy((answer) -> assertThat(failure(answer)).isEqualTo(Kind.UNAVAILABLE));
	}

	@Test
	void acquisitionsWhenMemoryIsUsedUpFailAndReleasesAmongThemDoNot() {
		LockKey held = StoreUnderTest.newKey();
		RequestId holder = request(this.store);
		acquire(this.store, held, holder).join();
		this.server.ask("CONFIG", "SET", "maxmemory", "1");
		List<LockKey> keys = newKeys();
		List<CompletableFuture<AcquireOutcome>> answers = acquireWhilePaused(keys.subList(0, 100));
		CompletableFuture<Ownership> released = this.store.store.release(new ReleaseCommand(held, holder));
		keys.subList(100, MANY).forEach((key) -> answers.add(acquire(this.store, key, request(this.store))));
		this.server.resume();
		assertThat(released).succeedsWithin(Patience.CEILING).isEqualTo(Ownership.HELD);
		assertThat(answers).allSatisfy((answer) -> assertThat(failure(answer)).isEqualTo(Kind.UNAVAILABLE));
	}

	/** The store has to find out that a script may not have keys of different locks. */
	@Test
	void requestsToAServerWithSlotsGoAlone() {
		try (RedisCluster cluster = RedisCluster.startOneNode(LeastPrivilege.clusterSettings());
				StoreUnderTest sharded = connect(cluster.nodes().get(0))) {
			RedisServer node = cluster.nodes().get(0);
			joined(sharded, StoreUnderTest.newKey());
			for (int repeat = 0; repeat < 2; repeat++) {
				node.pause();
				List<CompletableFuture<AcquireOutcome>> answers = newKeys().stream()
					.map((key) -> acquire(sharded, key, request(sharded)))
					.toList();
				node.resume();
				assertGranted(answers);
			}
		}
	}

}

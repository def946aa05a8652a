package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.RedisCluster;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.test.store.Patience;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A single key of many is refused, in whatever way. Its neighbours in a batch of
 * renewals, in a gathered call and in a set were refused with it.
 */
class RefusedKeysIntegrationTests {

	/** A batch of renewals is as large at most. */
	private static final int MANY = RenewalAnswers.MOST;

	/** In quarters of quarters, until one is alone. */
	private static final int DIVISIONS = 5;

	/** The whole, the parts of a part at each level, and as much for unknown scripts. */
	private static final int COST = 1 + 4 * DIVISIONS + 4;

	private static final int NARROW = 40;

	private static final int CALLS = 50;

	private static final RedisServer SERVER = RedisServers.start(LeastPrivilege.serverSettings());

	private static final RedisCluster CLUSTER = RedisCluster.startOneNode(LeastPrivilege.clusterSettings());

	private static final RedisServer NODE = CLUSTER.nodes().get(0);

	/** Long enough for a machine that stands still between two renewals. */
	private static final Duration TTL = Duration.ofSeconds(6);

	/** Those for a cluster, which are more than enough for a single server. */
	private static final String[] RULES = RedisPermission
		.rules(RedisStoreSettings.DEFAULTS.keyPrefix(), RedisPermission.Need.CLUSTER)
		.split(" ");

	private final List<AutoCloseable> opened = new ArrayList<>();

	private StoreUnderTest under;

	private RedisServer server;

	@AfterEach
	void close() throws Exception {
		for (int i = this.opened.size() - 1; i >= 0; i--) {
			this.opened.get(i).close();
		}
	}

	@AfterAll
	static void stop() {
		SERVER.close();
		CLUSTER.close();
	}

	static Stream<Arguments> all() {
		return Stream.of(Refusal.values())
			.flatMap((refusal) -> Stream.of(DriverUnderTest.LETTUCE, DriverUnderTest.JEDIS)
				.flatMap((driver) -> Stream.of(Where.values())
					.filter((where) -> where == Where.SERVER || refusal.ofOneKey())
					.map((where) -> Arguments.of(refusal, driver, where))));
	}

	static Stream<Arguments> gathering() {
		return all()
			.filter((each) -> each.get()[2] == Where.SERVER && ((Refusal) each.get()[0]).mode == LockMode.EXCLUSIVE);
	}

	/** All keys of a set are shared. */
	static Stream<Arguments> sets() {
		return all().filter((each) -> each.get()[0] != Refusal.FORBIDDEN_COMMAND);
	}

	private void connect(Refusal refusal, DriverUnderTest driver, Where where) {
		this.server = (refusal == Refusal.DIFFERENT_SLOTS) ? NODE : where.server;
		RedisConnectionFactory factory;
		if (refusal == Refusal.TOO_LARGE) {
			RefusingServer narrow = RefusingServer.narrow(this.server, NARROW);
			this.opened.add(narrow);
			factory = driver.connect(narrow.address());
		}
		else {
			factory = (where == Where.CLUSTER) ? TopologyDrivers.cluster(driver, CLUSTER.nodes())
					: driver.connect(LeastPrivilege.at(this.server));
		}
		this.under = new StoreUnderTest(factory, StoreUnderTest.PATIENT);
		this.opened.add(this.under);
		LeastPrivilege.create(this.server, RULES);
	}

	private static LockKey key(Refusal refusal, boolean guilty) {
		return new LockKey(guilty ? "guilty" : "store",
				((refusal == Refusal.DIFFERENT_SLOTS) ? "" : "{tag}") + StoreUnderTest.newKey().key());
	}

	/** The guilty one is in the midst. */
	private static List<LockKey> keys(Refusal refusal, int count) {
		return IntStream.range(0, count).mapToObj((i) -> key(refusal, i == count / 2)).toList();
	}

	/** Alone in its place, so that it is for the short scripts. */
	private RequestId request() {
		RequestId request = this.under.request();
		return RequestId.of(request.instanceBits(), 0, request.number(), 0);
	}

	private CompletableFuture<AcquireOutcome> acquire(LockKey key, RequestId request, LockMode mode) {
		return this.under.store.acquire(new AcquireCommand(List.of(key), request, mode, 0, null, StoreUnderTest.TTL,
				Duration.ZERO, Duration.ZERO, 0, false));
	}

	private List<RequestId> hold(List<LockKey> keys, Refusal refusal) {
		List<RequestId> requests = keys.stream().map((key) -> request()).toList();
		assertThat(IntStream.range(0, keys.size())
			.mapToObj((i) -> acquire(keys.get(i), requests.get(i),
					(i == keys.size() / 2) ? refusal.mode : LockMode.EXCLUSIVE))
			.toList())
			.allSatisfy((answer) -> assertThat(answer).succeedsWithin(Patience.CEILING).isInstanceOf(Granted.class));
		return requests;
	}

	private long commands() {
		return CommandCounts.sent(this.server, "evalsha") + CommandCounts.sent(this.server, "eval");
	}

	/** How many commands something takes until all of its answers are there. */
	private long cost(Supplier<? extends List<? extends CompletableFuture<?>>> commands) {
		long before = commands();
		commands.get()
			.forEach((answer) -> assertThat(answer.handle((value, failure) -> true)).succeedsWithin(Patience.CEILING));
		return commands() - before;
	}

	private static void assertOnlyOneNotRenewed(Refusal refusal, List<CompletableFuture<Ownership>> answers) {
		assertOnlyOneRefused(refusal, answers, Ownership.HELD, refusal.endsTheLease() ? Ownership.LOST : null);
	}

	private static <T> void assertOnlyOneRefused(Refusal refusal, List<CompletableFuture<T>> answers, T expected,
			@Nullable T refused) {
		for (int i = 0; i < answers.size(); i++) {
			boolean guilty = refusal.ofOneKey() && i == answers.size() / 2;
			assertThat(answers.get(i).handle((value, failure) -> value).join()).as(refusal + " of number " + i)
				.isEqualTo(guilty ? refused : expected);
		}
	}

	@ParameterizedTest
	@MethodSource("all")
	void renewalWhenAnotherOfItsBatchIsRefusedSucceeds(Refusal refusal, DriverUnderTest driver, Where where) {
		connect(refusal, driver, where);
		List<LockKey> keys = keys(refusal, MANY);
		List<RequestId> requests = hold(keys, refusal);
		refusal.begin(this.server, keys.get(MANY / 2));
		List<CompletableFuture<Ownership>> answers = new ArrayList<>();
		long first = cost(() -> renew(keys, requests, answers));
		assertOnlyOneNotRenewed(refusal, answers);
		boolean alone = where == Where.CLUSTER || refusal == Refusal.DIFFERENT_SLOTS;
		assertThat(first).as("commands").isLessThanOrEqualTo(alone ? MANY + COST : refusal.cost(MANY));
		long second = cost(() -> renew(keys, requests, answers));
		assertOnlyOneNotRenewed(refusal, answers);
		if (refusal.ofOneKey()) {
			assertThat(second).as("commands, the refused key alone").isLessThanOrEqualTo((alone ? MANY : 2) + 1);
		}
	}

	/** It was divided down to single ones, which then went alone. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void renewalsWhenTheUserMayRunNoScriptAreOneCommand(DriverUnderTest driver) {
		connect(Refusal.FORBIDDEN_KEY, driver, Where.SERVER);
		List<LockKey> keys = keys(Refusal.FORBIDDEN_KEY, MANY);
		List<RequestId> requests = hold(keys, Refusal.FORBIDDEN_KEY);
		SERVER.ask("ACL", "SETUSER", LeastPrivilege.USER, "-evalsha");
		List<CompletableFuture<Ownership>> answers = new ArrayList<>();
		assertThat(cost(() -> renew(keys, requests, answers))).isOne();
		assertThat(cost(() -> renew(keys, requests, answers))).isOne();
		assertThat(answers).allMatch(CompletableFuture::isCompletedExceptionally);
	}

	private List<CompletableFuture<Ownership>> renew(List<LockKey> keys, List<RequestId> requests,
			List<CompletableFuture<Ownership>> answers) {
		answers.clear();
		answers.addAll(this.under.store.renew(IntStream.range(0, keys.size())
			.mapToObj((i) -> new RenewCommand(keys.get(i), requests.get(i), StoreUnderTest.TTL))
			.toList()));
		return answers;
	}

	@ParameterizedTest
	@MethodSource("gathering")
	void acquisitionWhenAnotherGatheredOneIsRefusedSucceeds(Refusal refusal, DriverUnderTest driver, Where where) {
		connect(refusal, driver, where);
		for (int repeat = 0; repeat < 2; repeat++) {
			List<LockKey> keys = keys(refusal, 200);
			if (refusal == Refusal.BROKEN_STATE) {
				acquire(keys.get(100), request(), LockMode.EXCLUSIVE).join();
			}
			refusal.begin(this.server, keys.get(100));
			List<CompletableFuture<AcquireOutcome>> answers = whilePaused(
					() -> keys.stream().map((key) -> acquire(key, request(), LockMode.EXCLUSIVE)).toList());
			assertOnlyOneRefused(refusal,
					answers.stream().map((each) -> each.thenApply(Granted.class::isInstance)).toList(), true, null);
		}
	}

	@ParameterizedTest
	@MethodSource("gathering")
	void releaseWhenAnotherGatheredOneIsRefusedSucceeds(Refusal refusal, DriverUnderTest driver, Where where) {
		connect(refusal, driver, where);
		assertOthersEnd(refusal, (key, request) -> this.under.store.release(new ReleaseCommand(key, request))
			.thenApply((answer) -> answer == Ownership.HELD));
	}

	@ParameterizedTest
	@MethodSource("gathering")
	void abandonWhenAnotherOneIsRefusedSucceeds(Refusal refusal, DriverUnderTest driver, Where where) {
		connect(refusal, driver, where);
		assertOthersEnd(refusal, (key, request) -> this.under.store.abandon(new AbandonCommand(key, request))
			.thenApply((nothing) -> true));
	}

	private void assertOthersEnd(Refusal refusal, BiFunction<LockKey, RequestId, CompletableFuture<Boolean>> end) {
		List<LockKey> keys = keys(refusal, 200);
		List<RequestId> requests = hold(keys, refusal);
		refusal.begin(this.server, keys.get(100));
		List<CompletableFuture<Boolean>> answers = whilePaused(() -> IntStream.range(0, keys.size())
			.mapToObj((i) -> end.apply(keys.get(i), requests.get(i)))
			.toList());
		assertOnlyOneRefused(refusal, answers, true, null);
	}

	private <T> List<CompletableFuture<T>> whilePaused(Supplier<List<CompletableFuture<T>>> commands) {
		this.server.pause();
		// A driver that blocks has a thread for each of these.
		List<CompletableFuture<Ownership>> others = IntStream.range(0, 4)
			.mapToObj((thread) -> this.under.renew(StoreUnderTest.newKey(), request()))
			.toList();
		List<CompletableFuture<T>> answers = commands.get();
		this.server.resume();
		Stream.of(others, answers)
			.flatMap(List::stream)
			.forEach((answer) -> assertThat(answer.handle((value, failure) -> true)).succeedsWithin(Patience.CEILING));
		return answers;
	}

	/** A set has one request, which can do no more than to free the others. */
	@ParameterizedTest
	@MethodSource("sets")
	void setWhenOneKeyIsRefusedIsReleasedButForThat(Refusal refusal, DriverUnderTest driver, Where where) {
		connect(refusal, driver, where);
		List<LockKey> keys = keys(refusal, 60);
		RequestId request = holdTogether(keys, refusal);
		assertOthersFree(refusal, keys, request,
				() -> this.under.store.release(new ReleaseCommand(keys, request, RenewalMarks.NONE)));
	}

	@ParameterizedTest
	@MethodSource("sets")
	void setWhenOneKeyIsRefusedIsAbandonedButForThat(Refusal refusal, DriverUnderTest driver, Where where) {
		connect(refusal, driver, where);
		List<LockKey> keys = keys(refusal, 60);
		RequestId request = holdTogether(keys, refusal);
		assertOthersFree(refusal, keys, request, () -> this.under.store.abandon(new AbandonCommand(keys, request)));
	}

	private RequestId holdTogether(List<LockKey> keys, Refusal refusal) {
		RequestId request = this.under.request();
		keys.stream().map((key) -> acquire(key, request, refusal.mode)).toList().forEach(CompletableFuture::join);
		refusal.begin(this.server, keys.get(keys.size() / 2));
		return request;
	}

	private void assertOthersFree(Refusal refusal, List<LockKey> keys, RequestId request,
			Supplier<CompletableFuture<?>> end) {
		for (int repeat = 0; repeat < 2; repeat++) {
			List<CompletableFuture<?>> answer = new ArrayList<>();
			long cost = cost(() -> {
				answer.add(end.get());
				return answer;
			});
			assertThat(answer.get(0).isCompletedExceptionally()).isEqualTo(refusal.ofOneKey());
			if (refusal.ofOneKey()) {
				assertThat(cost).isLessThanOrEqualTo((repeat == 0) ? COST : 2);
			}
		}
		for (int i = 0; i < keys.size(); i++) {
			if (!refusal.ofOneKey() || i != keys.size() / 2) {
				assertThat(this.under.renew(keys.get(i), request).join()).as("is held").isNotEqualTo(Ownership.HELD);
			}
		}
	}

	/** 350 of the leases were lost. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void leasesWhenOneOfThemIsForbiddenAreKept(DriverUnderTest driver) {
		LeastPrivilege.create(SERVER, RULES);
		RedisConnectionFactory factory = driver.connect(LeastPrivilege.at(SERVER));
		try (DefaultLockRegistry registry = new DefaultLockRegistry(
				new RedisLockStore(factory, RedisStoreSettings.DEFAULTS))) {
			List<CompletableFuture<Lease>> asked = IntStream.range(0, 1_000)
				.mapToObj((i) -> LockRequest.of("leases-" + i).name((i == 500) ? "guilty" : "store"))
				.map((each) -> registry.acquireAsync(each.ttl(TTL).waitFor(Patience.CEILING)).toCompletableFuture())
				.toList();
			List<Lease> leases = new ArrayList<>(asked.stream().map(CompletableFuture::join).toList());
			Refusal.FORBIDDEN_KEY.begin(SERVER, LockKey.ofEncoded("guilty:leases-500"));
			long begun = System.nanoTime();
			Lease guilty = leases.remove(500);
			await().until(() -> !guilty.isHeld());
			await().until(() -> System.nanoTime() - begun > TTL.plusMillis(500).toNanos());
			assertThat(leases).allMatch(Lease::isHeld);
			leases.forEach(Lease::close);
		}
		finally {
			DriverUnderTest.close(factory);
		}
	}

	/** Most of them failed that were gathered with a forbidden one. */
	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void callersWhenOthersAskForForbiddenKeysAreServed(DriverUnderTest driver) throws Exception {
		LeastPrivilege.create(SERVER, RULES);
		Refusal.FORBIDDEN_KEY.begin(SERVER, LockKey.ofEncoded("guilty:"));
		RedisConnectionFactory factory = driver.connect(LeastPrivilege.at(SERVER));
		ExecutorService threads = Executors.newFixedThreadPool(52);
		try (DefaultLockRegistry registry = new DefaultLockRegistry(
				new RedisLockStore(factory, RedisStoreSettings.DEFAULTS))) {
			List<Future<Integer>> failures = new ArrayList<>();
			for (int i = 0; i < 52; i++) {
				LockRequest request = LockRequest.of("caller-" + i).name((i % 13 == 0) ? "guilty" : "store");
				failures.add(threads.submit(() -> failures(registry, request)));
			}
			for (int i = 0; i < 52; i++) {
				assertThat(failures.get(i).get()).isEqualTo((i % 13 == 0) ? CALLS : 0);
			}
		}
		finally {
			threads.shutdownNow();
			DriverUnderTest.close(factory);
		}
	}

	/** How many of many calls fail. */
	private static int failures(DefaultLockRegistry registry, LockRequest request) {
		int failures = 0;
		for (int i = 0; i < CALLS; i++) {
			try {
				registry.acquire(request).close();
			}
			catch (LockStoreException ex) {
				assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.MISCONFIGURED);
				failures++;
			}
		}
		return failures;
	}

	enum Refusal {

		/** NOPERM, before the script begins. */
		FORBIDDEN_KEY {

			@Override
			void begin(RedisServer server, LockKey guilty) {
				LeastPrivilege.create(server, RULES);
				server.ask("ACL", "SETUSER", LeastPrivilege.USER, "resetkeys", "~lock:store:*", "~lock:%*");
			}

		},

		/** An error of the script, which has changed some of the others by then. */
		FORBIDDEN_COMMAND(LockMode.READ) {

			@Override
			void begin(RedisServer server, LockKey guilty) {
				LeastPrivilege.create(server, RULES);
				server.ask("ACL", "SETUSER", LeastPrivilege.USER, "-zscore");
			}

		},

		/** The script says so. */
		BROKEN_STATE {

			@Override
			void begin(RedisServer server, LockKey guilty) {
				server.ask("EVAL",
						"redis.call('HSET', KEYS[1], 'state', string.sub(redis.call('HGET', KEYS[1], 'state'), 1, 30))",
						"1", "lock:" + guilty.encoded());
			}

		},

		/** The script says so as well. */
		FOREIGN_SET(LockMode.READ) {

			@Override
			void begin(RedisServer server, LockKey guilty) {
				server.ask("SET", new String(new WireFormat(RedisStoreSettings.DEFAULTS).set("holders", guilty)),
						"foreign");
			}

		},

		/** CROSSSLOT, of all that are not alone. */
		DIFFERENT_SLOTS,

		/** Refuses each command that has many words. */
		TOO_LARGE;

		private final LockMode mode;

		Refusal() {
			this(LockMode.EXCLUSIVE);
		}

		Refusal(LockMode mode) {
			this.mode = mode;
		}

		/** Return whether it refuses a certain key, and not several together. */
		boolean ofOneKey() {
			return this != DIFFERENT_SLOTS && this != TOO_LARGE;
		}

		/** Return whether a renewal finds that the key is no longer that of the lock. */
		boolean endsTheLease() {
			return this == BROKEN_STATE || this == FOREIGN_SET;
		}

		void begin(RedisServer server, LockKey guilty) {
		}

		/** The most commands that the renewals of some leases take. */
		long cost(int count) {
			return ofOneKey() ? COST : 2L * count / (NARROW / 2 / 4);
		}

	}

	/** The server or cluster node that runs the scripts. */
	enum Where {

		SERVER(RefusedKeysIntegrationTests.SERVER), CLUSTER(NODE);

		private final RedisServer server;

		Where(RedisServer server) {
			this.server = server;
		}

	}

}

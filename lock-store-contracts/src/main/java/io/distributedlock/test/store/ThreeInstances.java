package io.distributedlock.test.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockMode;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.ExtendWith;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;
import static io.distributedlock.test.store.Patience.await;

/**
 * Three instances of an application, each with a store. A subclass provides stores that
 * share their locks, as the instances of an application do. A test of a mode, or of
 * wake-ups, that the {@linkplain LockStore#capabilities() capabilities} of the store lack
 * is skipped; a subclass states which capabilities there are.
 * <p>
 * The stores may keep their locks on a server that has run these tests before: a random
 * part of keys and identities differs in each JVM. A failure names it; the system
 * property {@code lock.contract.run} repeats it on an empty server.
 */
@ExtendWith(ContractRun.class)
public abstract class ThreeInstances {

	static final Duration TTL = Duration.ofSeconds(20);

	/** Number of tokens that an attempt reserves, if it reserves any. */
	static final int RESERVED = 60_000;

	static final Duration SHORT = Duration.ofMillis(150);

	/** A lease that may run out, but does not while some commands are sent. */
	static final Duration LEASE = Duration.ofSeconds(1);

	/**
	 * Shorter than {@link #TTL}, and longer than a busy machine pauses between commands.
	 */
	static final Duration SHORTER = Duration.ofSeconds(6);

	static final Duration WAITING = Duration.ofSeconds(10);

	static final int PERMITS = 3;

	private static final AtomicLong SEQUENCE = new AtomicLong();

	/** Least time of a failure by a missing answer or wake-up. */
	private static final Duration HANGING = Duration.ofSeconds(8);

	private static final int ATTEMPTS = 10;

	private static final AtomicInteger KEY = new AtomicInteger();

	LockKey key;

	Instance first;

	Instance second;

	Instance third;

	/**
	 * Create a store.
	 * @return a store that shares its locks with all others of this test
	 */
	protected abstract LockStore createStore();

	/**
	 * The capabilities that the store must have. Tests of others are skipped, so this set
	 * says how much of the contract the suite covers.
	 * @return all that {@link LockStore#capabilities()} of the created stores returns
	 */
	protected abstract Set<StoreCapability> expectedCapabilities();

	@BeforeEach
	void startStores() {
		this.key = new LockKey("contract", newKey());
		this.first = new Instance(1);
		this.second = new Instance(2);
		this.third = new Instance(3);
		this.first.start(createStore());
		this.second.start(createStore());
		this.third.start(createStore());
	}

	@AfterEach
	void closeStores() {
		this.first.store.close();
		this.second.store.close();
		this.third.store.close();
	}

	/** Create a text for keys that no other test uses, whichever suite it is from. */
	final String newKey() {
		return ContractRun.THIS.key(getClass(), KEY.incrementAndGet());
	}

	/**
	 * Run a scenario that has to end within a time. If it failed and this machine took
	 * longer, repeat it with other instances and another lock. A failure after
	 * {@link #HANGING} is a missing answer or wake-up, and is thrown at once.
	 */
	void within(Duration time, Runnable scenario) {
		for (int attempt = 1;; attempt++) {
			long start = System.nanoTime();
			try {
				scenario.run();
				return;
			}
			catch (AssertionError ex) {
				Duration took = Duration.ofNanos(System.nanoTime() - start);
				if (took.compareTo(time) < 0 || took.compareTo(HANGING) > 0 || attempt == ATTEMPTS) {
					throw ex;
				}
			}
			closeStores();
			startStores();
		}
	}

	/**
	 * Wait until the lock is free: a probe takes it, so that the request before can no
	 * longer release it late.
	 */
	void awaitFree() {
		await().pollInterval(Duration.ofMillis(10)).until(() -> this.third.remaining().isZero());
	}

	/** Text for the message that a request has a lock. */
	static String claim(String encodedKey, RequestId request, long token) {
		return turn(encodedKey, request.toString()) + " has " + token;
	}

	/** Text for a wake-up or a revocation of one request. */
	static String turn(String encodedKey, String request) {
		return encodedKey + " for " + request;
	}

	/** The key of this test. */
	List<LockKey> keys() {
		return List.of(this.key);
	}

	/** Wait for the answers to renewals. */
	static List<Ownership> answers(List<CompletableFuture<Ownership>> renewals) {
		return renewals.stream().map(CompletableFuture::join).toList();
	}

	static long token(AcquireOutcome outcome) {
		return ((Granted) outcome).token();
	}

	/**
	 * A lock that was taken for {@link #SHORT}.
	 *
	 * @param request the request that had it
	 * @param token its fencing token
	 */
	record Brief(RequestId request, long token) {
	}

	/**
	 * Return whether all requests have the first {@linkplain RequestId#place() place} of
	 * their instance, as requests for one lock do. False by default; a store may run its
	 * suite once more with it.
	 * @return {@code true} for the first place
	 */
	protected boolean inFirstPlace() {
		return false;
	}

	/** An instance of an application. */
	final class Instance implements WakeUpListener {

		private final int first;

		private long bits;

		final BlockingQueue<String> wakeUps = new LinkedBlockingQueue<>();

		final BlockingQueue<String> revocations = new LinkedBlockingQueue<>();

		private final AtomicInteger wokenAll = new AtomicInteger();

		private @Nullable String lastWakeUp;

		/** The last attempt that may have left a waiter entry. */
		private @Nullable AcquireCommand waiting;

		@SuppressWarnings("NullAway.Init")
		LockStore store;

		/** The identity is new: a late wake-up must not reach another test. */
		Instance(int first) {
			this.first = first;
			this.bits = newBits();
		}

		private long newBits() {
			return ContractRun.THIS.instance(this.first, SEQUENCE.incrementAndGet());
		}

		void start(LockStore created) {
			this.store = created;
			created.start(name(), this);
		}

		/** Take another identity, as an instance that was restored from an image does. */
		void changeIdentity() {
			this.bits = newBits();
			this.wokenAll.set(0);
			this.store.start(name(), this);
		}

		String name() {
			return new RequestId(this.bits, 0).instance();
		}

		/** Create a request with a place of its own: several can share a lock. */
		RequestId request() {
			long number = SEQUENCE.incrementAndGet();
			return RequestId.of(this.bits, inFirstPlace() ? 0 : (int) number & RequestId.LAST_PLACE, number, 0);
		}

		/** Create a request that is later than all others of its place. */
		RequestId request(int place) {
			return RequestId.of(this.bits, place, SEQUENCE.incrementAndGet(), 0);
		}

		AcquireOutcome acquire(Duration ttl) {
			return acquire(request(), ttl);
		}

		AcquireOutcome acquire(RequestId request, Duration ttl) {
			return acquireKept(request, ttl, Duration.ZERO);
		}

		/** Acquire, and reserve {@link #RESERVED} tokens after that of the request. */
		AcquireOutcome acquireReserving(RequestId request, Duration ttl, long highestToken) {
			return acquire(new AcquireCommand(List.of(ThreeInstances.this.key), request, LockMode.EXCLUSIVE, 0, null,
					ttl, Duration.ZERO, Duration.ZERO, highestToken, false, RESERVED));
		}

		AcquireOutcome acquireKept(RequestId request, Duration ttl, Duration keepFor) {
			return acquire(new AcquireCommand(ThreeInstances.this.key, request, ttl, keepFor, Duration.ZERO));
		}

		RequestId acquireWaiting() {
			RequestId request = request();
			assertThat(acquire(
					new AcquireCommand(ThreeInstances.this.key, request, TTL, Duration.ZERO, Duration.ofSeconds(10))))
				.isInstanceOf(Busy.class);
			return request;
		}

		/**
		 * Attempt to get the busy lock, and leave a waiter entry. The next release gives
		 * the lock to this entry for the time of the claim.
		 */
		RequestId waitToBeGiven(RequestId request, Duration claim) {
			return waitToBeGiven(request, claim, Duration.ZERO);
		}

		RequestId waitToBeGiven(RequestId request, Duration claim, Duration keepFor) {
			AcquireCommand command = waiting(request, claim, keepFor);
			assertThat(acquire(command)).isInstanceOf(Busy.class);
			settle();
			// A store may have left no entry before it listened.
			assertThat(acquire(command)).isInstanceOf(Busy.class);
			return request;
		}

		private AcquireCommand waiting(RequestId request, Duration claim, Duration keepFor) {
			return new AcquireCommand(keys(), request, LockMode.EXCLUSIVE, 0, null, TTL, keepFor, WAITING, 0, false, 0,
					claim);
		}

		/**
		 * Find the lock busy, and stand in line for it. The entry lasts as long as the
		 * instance gives signs of life, and this attempt counts as one.
		 */
		Busy standInLine(RequestId request, Duration waiting) {
			return (Busy) acquire(new AcquireCommand(keys(), request, LockMode.FAIR, 0, null, TTL, Duration.ZERO,
					waiting, 0, false, 0, TTL));
		}

		/** Stand in line with a new request, once this store listens. */
		RequestId standInLine(Duration waiting) {
			RequestId request = request();
			standInLine(request, waiting);
			settle();
			// A store may have left an entry of the other kind before it listened.
			standInLine(request, waiting);
			return request;
		}

		/** Find it busy. Return whether the next release gives it to the request. */
		boolean isNext(RequestId request, Duration claim) {
			return ((Busy) acquire(waiting(request, claim, Duration.ZERO))).next();
		}

		boolean hasClaims() {
			return has(StoreCapability.WAKE_UPS) && has(StoreCapability.CLAIMS);
		}

		private boolean has(StoreCapability capability) {
			return this.store.capabilities().contains(capability);
		}

		/** Skip the rest of a test that is about a capability which the store lacks. */
		void require(@Nullable StoreCapability capability) {
			assumeTrue(capability == null || has(capability), () -> "the store has no capability " + capability);
		}

		/** Skip the rest of a test that is about wake-ups, if the store has none. */
		void requireWakeUps() {
			require(StoreCapability.WAKE_UPS);
		}

		/** Acquire in a mode; only a semaphore has a number of permits. */
		AcquireOutcome acquire(LockMode mode, RequestId request, Duration ttl, Duration waiting) {
			return acquire(mode, List.of(ThreeInstances.this.key), request, ttl, waiting);
		}

		AcquireOutcome acquire(LockMode mode, List<LockKey> keys, RequestId request, Duration ttl, Duration waiting) {
			return acquire(new AcquireCommand(keys, request, mode, (mode == LockMode.SEMAPHORE) ? PERMITS : 0, null,
					ttl, Duration.ZERO, waiting, 0, false));
		}

		AcquireOutcome acquire(LockMode mode) {
			return acquire(mode, request(), TTL, Duration.ZERO);
		}

		/** Take the lock, or fail. */
		RequestId take(LockMode mode) {
			return take(mode, TTL);
		}

		RequestId take(LockMode mode, Duration ttl) {
			RequestId request = request();
			assertThat(acquire(mode, request, ttl, Duration.ZERO)).isInstanceOf(Granted.class);
			awaitTaken(ThreeInstances.this.key.encoded(), request);
			return request;
		}

		/** Take the lock for a lease that may end before the answer arrives. */
		RequestId takeBriefly(LockMode mode) {
			return briefly((request) -> acquire(mode, request, SHORT, Duration.ZERO)).request();
		}

		/** Repeat an attempt, since the answer may come after the lease. */
		Brief briefly(Function<RequestId, AcquireOutcome> command) {
			while (true) {
				RequestId request = request();
				long start = System.nanoTime();
				Object outcome = outcome(() -> command.apply(request));
				if (outcome instanceof Granted granted) {
					return new Brief(request, granted.token());
				}
				assertThat(Duration.ofNanos(System.nanoTime() - start)).as("%s", outcome).isGreaterThanOrEqualTo(SHORT);
				abandon(request);
			}
		}

		private static Object outcome(Supplier<AcquireOutcome> command) {
			try {
				return command.get();
			}
			catch (CompletionException ex) {
				return ex;
			}
		}

		/** Find the lock busy, and leave a waiter entry. */
		RequestId waitFor(LockMode mode) {
			return waitFor(mode, WAITING);
		}

		RequestId waitFor(LockMode mode, Duration waiting) {
			RequestId request = request();
			waitAgain(mode, request, waiting);
			settle();
			return request;
		}

		void waitAgain(LockMode mode, RequestId request, Duration waiting) {
			assertThat(acquire(mode, request, TTL, waiting)).isInstanceOf(Busy.class);
		}

		/** Attempt again, now with success. */
		void come(LockMode mode, RequestId request) {
			assertThat(acquire(mode, request, TTL, WAITING)).isInstanceOf(Granted.class);
		}

		/** Send an attempt, without its claim to a store that has none. */
		AcquireOutcome acquire(AcquireCommand command) {
			AcquireCommand sent = hasClaims() ? command : command.withoutClaim();
			if (!sent.waiting().isZero()) {
				this.waiting = sent;
			}
			return attempt(sent).join();
		}

		/** Send an attempt, if the store has locks of this mode. */
		CompletableFuture<AcquireOutcome> attempt(AcquireCommand command) {
			require(StoreCapability.of(command.mode()));
			return this.store.acquire(command);
		}

		boolean renew(RequestId request, Duration ttl) {
			return renew(request, ttl, RenewalMarks.NONE);
		}

		boolean renew(RequestId request, Duration ttl, RenewalMarks marks) {
			RenewCommand command = new RenewCommand(ThreeInstances.this.key, request, ttl, marks);
			return this.store.renew(List.of(command)).get(0).join() == Ownership.HELD;
		}

		boolean release(RequestId request) {
			Ownership answer = this.store.release(new ReleaseCommand(ThreeInstances.this.key, request)).join();
			awaitReleased(ThreeInstances.this.key.encoded(), request);
			return answer == Ownership.HELD;
		}

		void abandon(RequestId request) {
			this.store.abandon(new AbandonCommand(ThreeInstances.this.key, request)).join();
			awaitReleased(ThreeInstances.this.key.encoded(), request);
		}

		/** Return how long the lock is still busy. Leaves no trace. */
		Duration remaining() {
			RequestId probe = request();
			AcquireOutcome outcome = acquire(probe, TTL);
			if (outcome instanceof Busy busy) {
				return busy.remaining();
			}
			abandon(probe);
			return Duration.ZERO;
		}

		/** Wait until this store listens, and its waiter entry is on all nodes. */
		void settle() {
			if (has(StoreCapability.WAKE_UPS)) {
				awaitListening(this.store, this.wokenAll, Objects.requireNonNull(this.waiting));
			}
		}

		/** Return the next wake-up. Skip a repetition of the last one by a late node. */
		@Nullable String awaitWakeUp() {
			requireWakeUps();
			try {
				String before = this.lastWakeUp;
				do {
					this.lastWakeUp = this.wakeUps.poll(10, TimeUnit.SECONDS);
				}
				while (repeatsWakeUps() && this.lastWakeUp != null && this.lastWakeUp.equals(before));
				return this.lastWakeUp;
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public void wakeUp(String encodedKey) {
			this.wakeUps.add(encodedKey);
		}

		@Override
		public void wakeUp(String encodedKey, String request) {
			this.wakeUps.add(turn(encodedKey, request));
		}

		@Override
		public void claimed(String encodedKey, String request, long token) {
			this.wakeUps.add(claim(encodedKey, RequestId.parse(request), token));
		}

		@Override
		public void revoked(String encodedKey, String request) {
			this.revocations.add(turn(encodedKey, request));
		}

		@Override
		public void wakeUpAll() {
			this.wokenAll.incrementAndGet();
		}

	}

	/**
	 * Check that a reader has the last token. A store on several nodes may give a later
	 * token instead.
	 * @param last the last token
	 * @param outcome the outcome of its attempt
	 */
	protected void assertReaderHas(long last, AcquireOutcome outcome) {
		assertThat(outcome).isEqualTo(new Granted(last));
	}

	/**
	 * Return whether waiters may be woken twice for one release, as by a late node of a
	 * store on several nodes. False by default.
	 * @return {@code true} if a repeated wake-up does not stem from the next release
	 */
	protected boolean repeatsWakeUps() {
		return false;
	}

	/**
	 * Check that an instance that was woken for all of its waiters is not woken again. A
	 * store on several nodes may wake it once more, for a node that answers late.
	 * @param wakeUps the wake-ups since then, all for one key
	 */
	protected void assertNoMore(Collection<String> wakeUps) {
		assertThat(wakeUps).as("one is enough").isEmpty();
	}

	/**
	 * Wait until a granted request holds the lock on every node. Does nothing by default:
	 * a store on one server is done when it answers. A store on several nodes answers
	 * when enough of them have, and the others follow.
	 * @param encodedKey the encoded key
	 * @param request the request
	 */
	protected void awaitTaken(String encodedKey, RequestId request) {
	}

	/**
	 * Wait until a request that has ended holds nothing on any node. Does nothing by
	 * default: a store on one server is done when it answers.
	 * @param encodedKey the encoded key
	 * @param request the request
	 */
	protected void awaitReleased(String encodedKey, RequestId request) {
	}

	/**
	 * Wait until a store receives wake-ups for an attempt that found the lock busy. By
	 * default this waits for the {@code wakeUpAll} that a store calls each time it has
	 * subscribed, be it from its start or for its first waiter. Overridden without a wait
	 * for a store that listens from the start and does not call it then. Not called for a
	 * store without {@link StoreCapability#WAKE_UPS}.
	 * @param store the store
	 * @param wokenAll how often the store has called {@code wakeUpAll}
	 * @param command the attempt
	 */
	protected void awaitListening(LockStore store, AtomicInteger wokenAll, AcquireCommand command) {
		await().alias(
				"the store receives wake-ups and has called wakeUpAll; one without wake-ups has no WAKE_UPS, and one "
						+ "that listens from the start overrides awaitListening")
			.until(() -> wokenAll.get() > 0);
	}

}

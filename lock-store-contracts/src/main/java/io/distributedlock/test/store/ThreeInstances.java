package io.distributedlock.test.store;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
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

import static org.assertj.core.api.Assertions.assertThat;
import static io.distributedlock.test.store.Patience.await;

/**
 * Three instances of an application, each with a store. A subclass gives stores that
 * share their locks, as the instances of an application do.
 */
public abstract class ThreeInstances {

	static final Duration TTL = Duration.ofSeconds(20);

	/** How many tokens are reserved where any are. */
	static final int RESERVED = 60_000;

	static final Duration SHORT = Duration.ofMillis(150);

	/** A lease that may run out, but does not while some commands are sent. */
	static final Duration LEASE = Duration.ofSeconds(1);

	/**
	 * Shorter than others, and longer than a busy machine stands still between commands.
	 */
	static final Duration SHORTER = Duration.ofSeconds(6);

	static final Duration WAITING = Duration.ofSeconds(10);

	static final int PERMITS = 3;

	private static final AtomicLong SEQUENCE = new AtomicLong();

	/** What is given up without an answer, or a wake-up, has taken at least this. */
	private static final Duration HANGING = Duration.ofSeconds(8);

	private static final int ATTEMPTS = 10;

	private static final AtomicInteger KEY = new AtomicInteger();

	LockKey key;

	Instance first;

	Instance second;

	Instance third;

	/**
	 * A new store.
	 * @return a store on the same locks as every other one made in this test
	 */
	protected abstract LockStore createStore();

	@BeforeEach
	void startStores() {
		this.key = new LockKey("contract", getClass().getSimpleName() + KEY.incrementAndGet());
		this.first = new Instance(0x1111_0000_0000_0000L);
		this.second = new Instance(0x2222_0000_0000_0000L);
		this.third = new Instance(0x3333_0000_0000_0000L);
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

	/**
	 * Do what has to be done before some time is over, and where this machine took longer
	 * once more, with other instances and another lock. What is given up takes longer
	 * than that, too, and is told at once.
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

	void awaitFree() {
		await().pollInterval(Duration.ofMillis(10)).until(() -> this.third.remaining().isZero());
	}

	/** How a message is written down that a request has a lock. */
	static String claim(String encodedKey, RequestId request, long token) {
		return turn(encodedKey, request.toString()) + " has " + token;
	}

	/** How a wake-up is written down that is meant for one request. */
	static String turn(String encodedKey, String request) {
		return encodedKey + " for " + request;
	}

	/** The usual key. */
	List<LockKey> keys() {
		return List.of(this.key);
	}

	/** All answers to some renewals, when the last is there. */
	static List<Ownership> answers(List<CompletableFuture<Ownership>> renewals) {
		return renewals.stream().map(CompletableFuture::join).toList();
	}

	static long token(AcquireOutcome outcome) {
		return ((Granted) outcome).token();
	}

	/**
	 * What was had for {@link #SHORT}.
	 *
	 * @param request the request that had it
	 * @param token its token
	 */
	record Brief(RequestId request, long token) {
	}

	/**
	 * Whether all requests have the first place of their instance, as those for one lock
	 * alone.
	 */
	protected boolean inFirstPlace() {
		return false;
	}

	/** One instance of an application. */
	final class Instance implements WakeUpListener {

		private long bits;

		final BlockingQueue<String> wakeUps = new LinkedBlockingQueue<>();

		final BlockingQueue<String> revocations = new LinkedBlockingQueue<>();

		private final AtomicInteger wokenAll = new AtomicInteger();

		private @Nullable String lastWakeUp;

		/** The last command of a request that waits. */
		private @Nullable AcquireCommand waiting;

		@SuppressWarnings("NullAway.Init")
		LockStore store;

		/** A wake-up that comes late must not reach the instance of another test. */
		Instance(long bits) {
			this.bits = bits + SEQUENCE.incrementAndGet();
		}

		void start(LockStore created) {
			this.store = created;
			created.start(name(), this);
		}

		/** Take another identity, as an instance that was restored from an image does. */
		void changeIdentity() {
			this.bits += SEQUENCE.incrementAndGet();
			this.wokenAll.set(0);
			this.store.start(name(), this);
		}

		String name() {
			return new RequestId(this.bits, 0).instance();
		}

		/** Each in a place of its own, so that any of them may hold a lock together. */
		RequestId request() {
			long number = SEQUENCE.incrementAndGet();
			return RequestId.of(this.bits, inFirstPlace() ? 0 : (int) number & RequestId.LAST_PLACE, number, 0);
		}

		/** A request that comes after all others in its place. */
		RequestId request(int place) {
			return RequestId.of(this.bits, place, SEQUENCE.incrementAndGet(), 0);
		}

		AcquireOutcome acquire(Duration ttl) {
			return acquire(request(), ttl);
		}

		AcquireOutcome acquire(RequestId request, Duration ttl) {
			return acquireKept(request, ttl, Duration.ZERO);
		}

		/** Acquire and reserve {@link #RESERVED} tokens behind its own. */
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

		/** Find it busy, and leave an entry to which a release gives the lock. */
		RequestId waitToBeGiven(RequestId request, Duration claim) {
			AcquireCommand command = waiting(request, claim);
			assertThat(acquire(command)).isInstanceOf(Busy.class);
			settle();
			// A store may have left it out until it listened.
			assertThat(acquire(command)).isInstanceOf(Busy.class);
			return request;
		}

		private AcquireCommand waiting(RequestId request, Duration claim) {
			return new AcquireCommand(keys(), request, LockMode.EXCLUSIVE, 0, null, TTL, Duration.ZERO, WAITING, 0,
					false, 0, claim);
		}

		/** Find it busy once more; whether the next release gives it to the request. */
		boolean isNext(RequestId request, Duration claim) {
			return ((Busy) acquire(waiting(request, claim))).next();
		}

		boolean hasClaims() {
			return this.store.capabilities().contains(StoreCapability.CLAIMS);
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

		/** Take it, or fail. */
		RequestId take(LockMode mode) {
			return take(mode, TTL);
		}

		RequestId take(LockMode mode, Duration ttl) {
			RequestId request = request();
			assertThat(acquire(mode, request, ttl, Duration.ZERO)).isInstanceOf(Granted.class);
			awaitTaken(ThreeInstances.this.key.encoded(), request);
			return request;
		}

		/** Have it for so short a time that it may be over before the answer has come. */
		RequestId takeBriefly(LockMode mode) {
			return briefly((request) -> acquire(mode, request, SHORT, Duration.ZERO)).request();
		}

		/** What comes too late is asked for once more. */
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

		/** Ask for it in vain and leave a waiter entry. */
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

		/** Ask again, now not in vain. */
		void come(LockMode mode, RequestId request) {
			assertThat(acquire(mode, request, TTL, WAITING)).isInstanceOf(Granted.class);
		}

		AcquireOutcome acquire(AcquireCommand command) {
			if (!command.waiting().isZero()) {
				this.waiting = command;
			}
			return this.store.acquire(command).join();
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

		/** How long the lock is still busy, asked without leaving a trace. */
		Duration remaining() {
			RequestId probe = request();
			AcquireOutcome outcome = acquire(probe, TTL);
			if (outcome instanceof Busy busy) {
				return busy.remaining();
			}
			abandon(probe);
			return Duration.ZERO;
		}

		/** Wait until this store listens, and is known to wait wherever it was asked. */
		void settle() {
			AcquireCommand command = Objects.requireNonNull(this.waiting);
			awaitListening(this.store, this.wokenAll, command);
		}

		/** The next one, and not once more the one before from nodes that speak late. */
		@Nullable String awaitWakeUp() {
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
	 * Check the token of a reader, which is the last one. A store on several nodes may
	 * give a later token instead.
	 * @param last the last token
	 * @param outcome what the reader got
	 */
	protected void assertReaderHas(long last, AcquireOutcome outcome) {
		assertThat(outcome).isEqualTo(new Granted(last));
	}

	/**
	 * Whether waiters may be woken twice for one release, as by a store on several nodes
	 * of which one answers late. By default they may not.
	 * @return whether a repeated wake-up is none of the next release
	 */
	protected boolean repeatsWakeUps() {
		return false;
	}

	/**
	 * Check that an instance that was woken for all of its waiters is not woken again. A
	 * store on several nodes may wake it once more, for a node that answers late.
	 * @param wakeUps what has come since, all for one key
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
	 * default until it has told its listener to look again, as a store does that
	 * subscribes for its first waiter. A store that listens from the start does nothing
	 * here.
	 * @param store the store
	 * @param wokenAll how often the store has called {@code wakeUpAll}
	 * @param command the attempt
	 */
	protected void awaitListening(LockStore store, AtomicInteger wokenAll, AcquireCommand command) {
		await().alias(
				"the store receives wake-ups and has told its listener to look again; without wake-ups no store can pass")
			.until(() -> wokenAll.get() > 0);
	}

}

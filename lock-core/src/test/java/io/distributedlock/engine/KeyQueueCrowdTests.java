package io.distributedlock.engine;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongUnaryOperator;

import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.instance.EngineDrive;
import io.distributedlock.engine.internal.instance.EngineExecutors;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.instance.RequestIds;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.QueueView;
import io.distributedlock.engine.internal.line.Waiter;
import io.distributedlock.engine.internal.time.EngineLoop;
import io.distributedlock.engine.internal.time.Ticker;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.WakeUpListener;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The cost of one caller among many others of one instance that hold the same lock or
 * wait for it. Searching them one by one made it grow with their number. The test counts
 * readings of the clock and allocated bytes, since a search needs some of both.
 */
class KeyQueueCrowdTests {

	private static final int RUNS = 20;

	private static final String KEY = new LockKey("", "k").encoded();

	private static final LockRequest READ = LockRequest.of("k").mode(LockMode.READ).waitFor(Duration.ofDays(1));

	private static final LockRequest FAIR = READ.mode(LockMode.FAIR);

	private static final LockRequest PERMIT = LockRequest.of("k").permits(9_999).waitFor(Duration.ofDays(1));

	private final Store store = new Store();

	private final EngineLoop loop = new EngineLoop();

	private long readings;

	private final Engine engine = engine();

	@ParameterizedTest
	@EnumSource
	void stepOfOneCallerCostsTheSameAmongMany(Step step) {
		Cost few = cost(step, 0, 10);
		Cost hundred = cost(step, 10, 100);
		Cost thousand = cost(step, 100, 1_000);
		Cost most = cost(step, 1_000, 5_000);
		for (Cost cost : List.of(hundred, thousand, most)) {
			assertThat(cost.readings).as("readings of the clock").isEqualTo(few.readings);
			assertThat(cost.bytes).as("bytes").isLessThan(few.bytes * 3 / 2 + 1_000);
		}
	}

	/** The least of some runs: a table that grows does so in one of them. */
	private Cost cost(Step step, int before, int crowd) {
		this.store.grants = step.crowdHolds;
		this.store.crowd = -1;
		for (int i = before; i < crowd; i++) {
			enter(step.crowd);
		}
		this.store.grants = step.granted;
		this.store.crowd = this.store.last.number();
		Cost least = new Cost(Long.MAX_VALUE, Long.MAX_VALUE);
		for (int run = 0; run < RUNS; run++) {
			long readingsBefore = this.readings;
			long bytesBefore = allocated();
			step.action.take(this);
			least = new Cost(Math.min(least.readings, this.readings - readingsBefore),
					Math.min(least.bytes, allocated() - bytesBefore));
		}
		return least;
	}

	private static long allocated() {
		return ((com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean())
			.getThreadAllocatedBytes(Thread.currentThread().getId());
	}

	private void enterAndLeave(LockRequest request) {
		enterAndLeave(request, new Thread());
	}

	private void enterAndLeave(LockRequest request, Object owner) {
		enter(request, owner).answer.join().close();
	}

	private void enterAndGiveUp(LockRequest request) {
		Caller caller = enter(request);
		QueueView.endBudget(caller.waiter);
		assertThat(ManualInstance.failure(caller.answer)).isInstanceOf(LockNotAcquiredException.class);
	}

	/** Each caller is a thread of its own as far as the engine is concerned. */
	private Caller enter(LockRequest request) {
		return enter(request, new Thread());
	}

	private Caller enter(LockRequest request, Object owner) {
		CompletableFuture<GrantLease> answer = new CompletableFuture<>();
		Waiter waiter = new Waiter(this.engine.instance, LockKeys.of(request),
				LockTerms.of(LockProfiles.DEFAULTS, "", request.options()), owner, 0, Waiter.FOREVER)
			.telling((hold, failure) -> {
				if (hold != null) {
					answer.complete(new GrantLease(hold));
				}
				else {
					answer.completeExceptionally(failure);
				}
			});
		this.engine.queues.enter(waiter);
		return new Caller(waiter, answer);
	}

	private Engine engine() {
		EngineExecutors executors = new EngineExecutors(Runnable::run, Runnable::run, Runnable::run, Runnable::run,
				Runnable::run);
		Ticker clock = () -> {
			this.readings++;
			return 1;
		};
		return new Engine(this.store, EngineSettings.DEFAULTS,
				new EngineDrive(clock, () -> 0, this.loop, executors, LongUnaryOperator.identity(), new RequestIds()),
				null);
	}

	enum Step {

		READER_WHO_GIVES_UP_AMONG_WAITING_READERS(READ, false, false, (test) -> test.enterAndGiveUp(READ)),

		READER_WHO_GIVES_UP_AMONG_READERS(READ, true, false, (test) -> test.enterAndGiveUp(READ)),

		READER_WHO_ENTERS_AMONG_WAITING_READERS(READ, false, true, (test) -> test.enterAndLeave(READ)),

		READER_WHO_ENTERS_AMONG_READERS(READ, true, true, (test) -> test.enterAndLeave(READ)),

		SUBSCRIPTION_THAT_READS_AMONG_READERS(READ, true, true, (test) -> test.enterAndLeave(READ, new Object())),

		WAITER_IN_ORDER_WHO_GIVES_UP(FAIR, false, false, (test) -> test.enterAndGiveUp(FAIR)),

		WAITER_IN_ORDER_WHO_ENTERS(FAIR, false, true, (test) -> test.enterAndLeave(FAIR)),

		WAITER_IN_ORDER_WHOSE_TURN_IT_IS(FAIR, false, false,
				(test) -> test.engine.wakeUp(KEY, test.store.last.toString())),

		WRITER_WHO_ENTERS_AMONG_WAITING_READERS(READ, false, true,
				(test) -> test.enterAndLeave(READ.mode(LockMode.EXCLUSIVE))),

		PERMIT_THAT_IS_GIVEN_UP(PERMIT, true, false, (test) -> test.enterAndGiveUp(PERMIT)),

		PERMIT_THAT_IS_TAKEN(PERMIT, true, true, (test) -> test.enterAndLeave(PERMIT));

		private final LockRequest crowd;

		private final boolean crowdHolds;

		private final boolean granted;

		private final Action action;

		Step(LockRequest crowd, boolean crowdHolds, boolean granted, Action action) {
			this.crowd = crowd;
			this.crowdHolds = crowdHolds;
			this.granted = granted;
			this.action = action;
		}

	}

	@FunctionalInterface
	private interface Action {

		void take(KeyQueueCrowdTests test);

	}

	private record Cost(long readings, long bytes) {
	}

	private record Caller(Waiter waiter, CompletableFuture<GrantLease> answer) {
	}

	/** Remembers no request, so that a crowd costs it nothing. */
	private static final class Store implements LockStore {

		private boolean grants;

		/** The last request of the crowd, which stays as it is. */
		private long crowd = -1;

		private RequestId last;

		@Override
		public Set<StoreCapability> capabilities() {
			return EnumSet.complementOf(EnumSet.of(StoreCapability.CALLER_THREAD));
		}

		@Override
		public boolean takesTogether(List<LockKey> keys) {
			return true;
		}

		@Override
		public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
			this.last = command.request();
			boolean granted = this.grants && this.last.number() > this.crowd;
			return CompletableFuture.completedFuture(granted ? new AcquireOutcome.Granted(1)
					: new AcquireOutcome.Busy(this.last.instance(), Duration.ofDays(1), 0, false));
		}

		@Override
		public List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
			return commands.stream().map((command) -> CompletableFuture.completedFuture(Ownership.HELD)).toList();
		}

		@Override
		public CompletableFuture<Ownership> extend(ExtendCommand command) {
			return CompletableFuture.completedFuture(Ownership.HELD);
		}

		@Override
		public CompletableFuture<Ownership> release(ReleaseCommand command) {
			return CompletableFuture.completedFuture(Ownership.HELD);
		}

		@Override
		public CompletableFuture<Void> abandon(AbandonCommand command) {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void start(String instance, WakeUpListener listener) {
		}

		@Override
		public Duration commandTimeout() {
			return Duration.ofSeconds(1);
		}

		@Override
		public void close() {
		}

	}

}

package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

import io.distributedlock.Lease;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.instance.EngineDrive;
import io.distributedlock.engine.internal.instance.EngineExecutors;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.instance.RequestIds;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.Waiter;
import io.distributedlock.engine.internal.time.EngineLoop;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.StoreCapability;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * An engine without threads: the test moves its clock and drives its timers.
 */
public final class ManualInstance {

	final ManualClock clock;

	final ScriptedStore store;

	final Engine engine;

	final List<LockEvent> events = Collections.synchronizedList(new ArrayList<>());

	/** Told of an event at once, unless callbacks are held. */
	volatile Consumer<LockEvent> onEvent = this.events::add;

	volatile BooleanSupplier listening = () -> true;

	/** Makes the actual pause of each pause that the engine wants. */
	volatile LongUnaryOperator jitter = LongUnaryOperator.identity();

	private final EngineLoop loop = new EngineLoop();

	private Queue<Runnable> heldCallbacks;

	/** Create an instance on a store of its own. */
	public ManualInstance() {
		this(new ManualClock());
	}

	private ManualInstance(ManualClock clock) {
		this(clock, new ScriptedStore(new MemoryLocks(clock::quietly, Duration.ofSeconds(60))));
	}

	private ManualInstance(ManualClock clock, ScriptedStore store) {
		this(clock, store, new RequestIds());
	}

	private ManualInstance(ManualClock clock, ScriptedStore store, RequestIds requestIds) {
		this(clock, store, requestIds, EngineSettings.DEFAULTS);
	}

	private ManualInstance(ManualClock clock, ScriptedStore store, RequestIds requestIds, EngineSettings settings) {
		this.clock = clock;
		this.store = store;
		EngineExecutors executors = new EngineExecutors(this::callBack, Runnable::run, this::callBack, this::callBack,
				this::callBack);
		EngineDrive drive = new EngineDrive(clock, clock::wallMillis, this.loop, executors,
				(nanos) -> this.jitter.applyAsLong(nanos), requestIds);
		this.engine = new Engine(store, settings, drive, new LockEventListener() {
			@Override
			public void onLockEvent(LockEvent event) {
				ManualInstance.this.onEvent.accept(event);
			}

			@Override
			public boolean isListening() {
				return ManualInstance.this.listening.getAsBoolean();
			}
		});
	}

	static ManualInstance with(EngineSettings settings) {
		ManualClock clock = new ManualClock();
		return new ManualInstance(clock, new ScriptedStore(new MemoryLocks(clock::quietly, Duration.ofSeconds(60))),
				new RequestIds(), settings);
	}

	/** An instance on a store that offers no more than this. */
	static ManualInstance offering(StoreCapability... capabilities) {
		ManualClock clock = new ManualClock();
		return new ManualInstance(clock,
				new ScriptedStore(new MemoryLocks(clock::quietly, Duration.ofSeconds(60)), Set.of(capabilities)));
	}

	/** An instance on a store that wakes waiters and gives no lock to them. */
	static ManualInstance withoutClaims() {
		return offering(EnumSet.complementOf(EnumSet.of(StoreCapability.CLAIMS, StoreCapability.CALLER_THREAD))
			.toArray(StoreCapability[]::new));
	}

	/** Another instance on the same locks and clock, whose store behaves. */
	ManualInstance another() {
		return new ManualInstance(this.clock, new ScriptedStore(this.store.locks(), this.store.capabilities()));
	}

	/**
	 * Another process that was restored from one image, with a clock of its own. Its
	 * first requests are those that were made before the image.
	 * @param seeds the random numbers that were drawn for them
	 */
	ManualInstance restored(Long... seeds) {
		Iterator<Long> image = List.of(seeds).iterator();
		LongSupplier drawn = () -> image.hasNext() ? image.next() : ThreadLocalRandom.current().nextLong();
		return restored(new RequestIds(7, drawn, () -> 42));
	}

	/** The same, but its first requests were not made before the image. */
	ManualInstance cloned(long noise) {
		return restored(new RequestIds(7, ThreadLocalRandom.current()::nextLong, () -> noise));
	}

	private ManualInstance restored(RequestIds requestIds) {
		return new ManualInstance(new ManualClock(), new ScriptedStore(this.store.locks()), requestIds);
	}

	private synchronized void callBack(Runnable task) {
		if (this.heldCallbacks != null) {
			this.heldCallbacks.add(task);
		}
		else {
			task.run();
		}
	}

	/** Keep the tasks that would run on the callback executor. */
	void holdCallbacks() {
		this.heldCallbacks = new ArrayDeque<>();
	}

	void runCallbacks() {
		Queue<Runnable> tasks = this.heldCallbacks;
		this.heldCallbacks = null;
		tasks.forEach(Runnable::run);
	}

	/**
	 * Acquire without blocking.
	 * @param request the lock and the options
	 * @return completes with the lease
	 */
	public CompletableFuture<Lease> acquire(LockRequest request) {
		LockTerms terms = terms(request);
		long now = this.clock.quietly();
		Acquisition keys = new Acquisition(this.engine, request, terms, now, Waiter.deadline(now, terms.waitFor));
		return new AsyncAcquisition(this.engine, keys, request).start();
	}

	/** Acquire on the calling thread, which blocks. */
	Lease acquireBlocking(LockRequest request) throws InterruptedException {
		GrantLease lease = this.engine.queues.await(enter(request), true);
		lease.hold.begin(terms(request), request.owner());
		return lease;
	}

	/** Return the waiter that the calling thread has to wait for. */
	public Waiter enter(LockRequest request) {
		LockTerms terms = terms(request);
		long now = this.clock.quietly();
		Waiter waiter = new Waiter(this.engine.instance, LockKeys.of(request), terms, request.owner(), now,
				Waiter.deadline(now, terms.waitFor));
		this.engine.queues.enter(waiter);
		return waiter;
	}

	private static LockTerms terms(LockRequest request) {
		return LockTerms.of(LockProfiles.DEFAULTS, request.name(), request.options());
	}

	/** Move the clock from timer to timer, and fire them. */
	void advance(Duration by) {
		long end = this.clock.quietly() + by.toNanos();
		for (long next = runDue(); next <= end; next = runDue()) {
			this.clock.advanceTo(next);
		}
		this.clock.advanceTo(end);
		runDue();
	}

	/** Start a thread, and come back when it has ended or cannot go on by itself. */
	static Thread startUntilStuck(Runnable task) {
		Thread thread = new Thread(task);
		thread.setDaemon(true);
		thread.start();
		awaitStuck(thread);
		return thread;
	}

	/** Wait until a thread has ended or cannot go on by itself. */
	static void awaitStuck(Thread thread) {
		await().pollDelay(Duration.ZERO).pollInterval(Duration.ofMillis(1)).until(() -> isStuck(thread));
	}

	/**
	 * A thread that waits for the loading of a class is not stuck: it goes on by itself.
	 */
	private static boolean isStuck(Thread thread) {
		Thread.State state = thread.getState();
		if (state == Thread.State.NEW || state == Thread.State.RUNNABLE) {
			return false;
		}
		return Arrays.stream(thread.getStackTrace())
			.map(StackTraceElement::getClassName)
			.takeWhile((name) -> !name.startsWith("io.distributedlock."))
			.allMatch((name) -> name.startsWith("java.util.concurrent.") || name.startsWith("jdk.internal.misc.")
					|| name.startsWith("java.lang.Object") || name.startsWith("java.lang.Thread"));
	}

	static void join(Thread thread) {
		await().pollDelay(Duration.ZERO).until(() -> !thread.isAlive());
	}

	/** Return the exception that a future has failed with by now. */
	static Throwable failure(CompletableFuture<?> future) {
		assertThat(future).isCompletedExceptionally();
		return future.handle((ignored, ex) -> ex).join();
	}

	/** Fire the timers that are due now. */
	long runDue() {
		return this.loop.runDue(this.clock.quietly());
	}

}

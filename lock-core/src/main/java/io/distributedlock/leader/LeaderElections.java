package io.distributedlock.leader;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executor;
import java.util.function.Consumer;

import io.distributedlock.LockRegistry;
import io.distributedlock.engine.internal.instance.GrowingCallbacks;
import io.distributedlock.engine.internal.time.EngineLoop;
import io.distributedlock.engine.internal.time.Ticker;
import io.distributedlock.engine.internal.time.TimerHeap;
import io.distributedlock.store.DaemonThreadFactory;

/**
 * Makes the elections on one registry, which have one daemon thread for their timers in
 * common, from the first start of one on, and a bounded executor for listeners. It does
 * not own the registry. Thread-safe.
 *
 * @since 0.1.0
 */
public final class LeaderElections implements AutoCloseable {

	private final LockRegistry registry;

	private final List<LeaderListener> listeners;

	private final Ticker ticker;

	private final EngineLoop loop;

	private final Executor callbacks;

	/** Starts the thread that fires the timers of the loop. */
	private final Consumer<EngineLoop> driver;

	/** Those that are not stopped. Guarded by this object, as are the fields below. */
	private final Set<LeaderElection> running = new HashSet<>();

	private boolean driven;

	private boolean closed;

	/**
	 * Create elections without a common listener.
	 * @param registry the registry of the locks; to be closed after the elections
	 */
	public LeaderElections(LockRegistry registry) {
		this(registry, List.of());
	}

	/**
	 * Create elections.
	 * @param registry the registry of the locks; to be closed after the elections
	 * @param listeners listeners of each election that is made here
	 */
	public LeaderElections(LockRegistry registry, List<LeaderListener> listeners) {
		this(registry, listeners, Ticker.system());
	}

	private LeaderElections(LockRegistry registry, List<LeaderListener> listeners, Ticker ticker) {
		this(registry, listeners, ticker, new EngineLoop(), new GrowingCallbacks("distributed-lock-leader", 2),
				driver(ticker));
	}

	/**
	 * Create elections.
	 * @param driver starts what fires the timers of the loop; called by the first start
	 */
	LeaderElections(LockRegistry registry, List<LeaderListener> listeners, Ticker ticker, EngineLoop loop,
			Executor callbacks, Consumer<EngineLoop> driver) {
		this.registry = registry;
		this.listeners = List.copyOf(listeners);
		this.ticker = ticker;
		this.loop = loop;
		this.callbacks = callbacks;
		this.driver = driver;
	}

	private static Consumer<EngineLoop> driver(Ticker ticker) {
		DaemonThreadFactory threads = new DaemonThreadFactory("distributed-lock-leader-timer-");
		return (loop) -> threads.newThread(() -> loop.drive(ticker)).start();
	}

	/**
	 * Create an election with the defaults. It is no candidate before it is
	 * {@linkplain LeaderElection#start() started}.
	 * @param role the role, which is the key of a lock: not blank
	 * @return an election of its own, also if there is one for the role
	 * @throws IllegalArgumentException if the profile of {@link LeaderElection#LOCK_NAME}
	 * has a mode that lets several lead, a wait, a keepFor or a maxHold, does not renew,
	 * or cannot work
	 */
	public LeaderElection create(String role) {
		return create(role, LeaderOptions.DEFAULTS);
	}

	/**
	 * Create an election. It is no candidate before it is
	 * {@linkplain LeaderElection#start() started}.
	 * @param role the role, which is the key of a lock: not blank
	 * @param options the options
	 * @return an election of its own, also if there is one for the role
	 * @throws IllegalArgumentException as {@link #create(String)}
	 */
	public LeaderElection create(String role, LeaderOptions options) {
		LeaderElection election = new LeaderElection(this, role, options);
		this.listeners.forEach(election::addListener);
		return election;
	}

	/**
	 * Stop all elections that run, as {@link LeaderElection#stop()} but at the same time.
	 * Each may be started again.
	 */
	public void stop() {
		List<LeaderElection> all;
		synchronized (this) {
			all = List.copyOf(this.running);
		}
		all.forEach(LeaderElection::stopping);
		all.forEach(LeaderElection::stop);
	}

	/**
	 * {@linkplain #stop() Stop} all elections, none of which can be started again, and
	 * end the thread. If this returns before the listeners, as {@link #stop()} may, the
	 * thread ends after them, or after their grace period: it releases the locks then.
	 * Only waits when called again.
	 */
	@Override
	public void close() {
		synchronized (this) {
			this.closed = true;
		}
		stop();
		synchronized (this) {
			if (!this.running.isEmpty()) {
				return;
			}
		}
		this.loop.stop();
	}

	/** An election wants to run, so its timers must fire. */
	synchronized void started(LeaderElection election) {
		if (this.closed) {
			throw new IllegalStateException("The elections were closed: create others with new LeaderElections(…)");
		}
		if (!this.driven) {
			this.driver.accept(this.loop);
			this.driven = true;
		}
		this.running.add(election);
	}

	/** An election holds nothing any more, so it needs no timer. */
	synchronized void stopped(LeaderElection election) {
		this.running.remove(election);
		if (this.closed && this.running.isEmpty()) {
			// This thread may be the one of the timers, and has the monitor of the
			// election.
			this.callbacks.execute(this.loop::stop);
		}
	}

	LockRegistry registry() {
		return this.registry;
	}

	TimerHeap timers() {
		return this.loop.timers();
	}

	long now() {
		return this.ticker.nanos();
	}

	Executor callbacks() {
		return this.callbacks;
	}

}

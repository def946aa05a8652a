package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.IntStream;

import io.distributedlock.HeldLock;
import io.distributedlock.InvalidSettingException;
import io.distributedlock.Lease;
import io.distributedlock.LeaseHandle;
import io.distributedlock.LeaseLock;
import io.distributedlock.LeaseReadWriteLock;
import io.distributedlock.LockInspection;
import io.distributedlock.LockInspector;
import io.distributedlock.LockInterruptedException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.LostLock;
import io.distributedlock.TemplateLease;
import io.distributedlock.WaitingCaller;
import io.distributedlock.engine.internal.instance.EngineDrive;
import io.distributedlock.engine.internal.instance.EngineExecutors;
import io.distributedlock.engine.internal.instance.GrowingCallbacks;
import io.distributedlock.engine.internal.instance.GuardedObserver;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.instance.RequestIds;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.Waiter;
import io.distributedlock.engine.internal.report.EventCallbacks;
import io.distributedlock.engine.internal.time.EngineLoop;
import io.distributedlock.engine.internal.time.Ticker;
import io.distributedlock.engine.internal.time.WallClock;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.event.LockObserver;
import io.distributedlock.event.LockStatistics;
import io.distributedlock.store.DaemonThreadFactory;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import org.jspecify.annotations.Nullable;

/**
 * The locks of one instance on one store. Owns the store, one daemon thread for timers
 * and renewals, and bounded executors for code of users. Thread-safe.
 *
 * @since 0.1.0
 */
public final class DefaultLockRegistry implements LockRegistry, LockInspector, AutoCloseable {

	private static final int MOST_NAME = 200;

	private static final int RECENT_TERMS = 256;

	/** Number of sample keys; too many to be in one hash slot by chance. */
	private static final int SAMPLE_KEYS = 8;

	private final LockProfiles profiles;

	private final Engine engine;

	private final RegistryInspector inspector;

	private final LeaseHandles handles;

	private final EventCallbacks events;

	private final @Nullable GuardedObserver observer;

	private final ThreadLeases threads = new ThreadLeases();

	/** The terms of recent calls, by name and options. A race resolves them once more. */
	private final @Nullable LockTerms[] recentTerms = new LockTerms[RECENT_TERMS];

	/**
	 * Create a registry with the defaults.
	 * @param store the store of the locks; closed with the registry
	 */
	public DefaultLockRegistry(LockStore store) {
		this(store, LockProfiles.DEFAULTS, EngineSettings.DEFAULTS, null);
	}

	/**
	 * Create a registry.
	 * @param store the store of the locks; closed with the registry
	 * @param profiles the configured options
	 * @param settings the settings of the engine
	 * @param listener receives events, on threads for that; {@code null} for none
	 */
	public DefaultLockRegistry(LockStore store, LockProfiles profiles, EngineSettings settings,
			@Nullable LockEventListener listener) {
		this(store, profiles, settings, listener, null);
	}

	/**
	 * Create a registry that is observed.
	 * @param store as above
	 * @param profiles as above
	 * @param settings as above
	 * @param listener as above
	 * @param observer receives waits and holds at once; {@code null} for none
	 */
	public DefaultLockRegistry(LockStore store, LockProfiles profiles, EngineSettings settings,
			@Nullable LockEventListener listener, @Nullable LockObserver observer) {
		this.observer = (observer != null) ? new GuardedObserver(observer) : null;
		this.profiles = profiles;
		Ticker ticker = Ticker.system();
		this.events = new EventCallbacks(ticker);
		EngineExecutors executors = new EngineExecutors(new GrowingCallbacks("distributed-lock-callback", 4),
				new GrowingCallbacks("distributed-lock-completion", 4),
				new GrowingCallbacks("distributed-lock-loss", 2), new GrowingCallbacks("distributed-lock-danger", 2),
				this.events);
		EngineDrive drive = new EngineDrive(ticker, WallClock.system(), new EngineLoop(), executors,
				DefaultLockRegistry::jitter, new RequestIds());
		this.engine = new Engine(store, settings, drive, listener);
		this.inspector = new RegistryInspector(this.engine);
		this.handles = new LeaseHandles(this.engine);
		new DaemonThreadFactory("distributed-lock-engine-").newThread(() -> drive.loop().drive(ticker)).start();
	}

	/**
	 * Return the reason why the store has no locks of a mode.
	 * @param mode the mode
	 * @return the modes that the store offers instead, without a full stop; {@code null}
	 * if it has such locks
	 */
	public @Nullable String objection(LockMode mode) {
		return this.engine.instance.offer.objection(mode);
	}

	/**
	 * Return whether the store has a capability.
	 * @param capability the capability
	 * @return {@code true} if requests that need it are not refused
	 */
	public boolean offers(StoreCapability capability) {
		return this.engine.instance.offer.has(capability);
	}

	/**
	 * Return whether locks of a name are acquired by one command with any keys, and so
	 * have a common fencing token. If not, keys of one hash slot may still be acquired
	 * together.
	 * @param name the namespace, maybe empty
	 * @return {@code true} if they are, as far as the store knows
	 */
	public boolean takesTogether(String name) {
		return !this.engine.instance.offer
			.divides(IntStream.range(0, SAMPLE_KEYS).mapToObj((i) -> new LockKey(name, "key-" + i)).toList());
	}

	/**
	 * Set the name by which other instances mention this one as a holder. The store keeps
	 * it for an hour. One command notes it now, in the background, and every five
	 * minutes.
	 * @param name such as {@code orders@host-1 (4711)}, at most 200 characters, without
	 * control characters
	 * @throws InvalidSettingException if the name cannot be used
	 */
	public void announce(String name) {
		if (name.isBlank() || name.length() > MOST_NAME || name.chars().anyMatch(Character::isISOControl)) {
			throw new InvalidSettingException("instanceName", name,
					"instanceName must have 1 to %d characters, not only blanks and no control characters"
						.formatted(MOST_NAME));
		}
		this.engine.queues.index.names.announce(name);
	}

	/**
	 * The store, for monitoring. Locks that are taken there directly are not known here.
	 * @return the store
	 */
	public LockStore store() {
		return this.engine.instance.store;
	}

	@Override
	public LockInspection inspect(String name, String key) {
		return this.inspector.inspect(name, key);
	}

	@Override
	public int forceRelease(String name, String key, @Nullable String request) {
		return this.inspector.forceRelease(name, key, request);
	}

	@Override
	public List<HeldLock> held() {
		return this.inspector.held();
	}

	@Override
	public List<WaitingCaller> waiting() {
		return this.inspector.waiting();
	}

	@Override
	public List<LostLock> recentLosses() {
		return this.inspector.recentLosses();
	}

	@Override
	public boolean checksCommits() {
		return this.inspector.checksCommits();
	}

	@Override
	public String instance() {
		return this.inspector.instance();
	}

	@Override
	public String instanceName() {
		return this.inspector.instanceName();
	}

	/** Shorten a pause by up to a quarter, so that waiters do not attempt in step. */
	private static long jitter(long nanos) {
		return nanos - ThreadLocalRandom.current().nextLong(nanos / 4 + 1);
	}

	@Override
	public LeaseLock getLock(String name, String key) {
		return new ThreadLeaseLock(this, LockRequest.of(name, key));
	}

	@Override
	public LeaseLock getLock(LockRequest request) {
		return new ThreadLeaseLock(this, ThreadLeaseLock.require(request));
	}

	@Override
	public LeaseReadWriteLock getReadWriteLock(String name, String key) {
		return new ThreadReadWriteLock(this, LockRequest.of(name, key));
	}

	@Override
	public Lease acquire(LockRequest request) {
		return acquire(request, false);
	}

	@Override
	public Optional<Lease> tryAcquire(LockRequest request) {
		try {
			return Optional.of(acquire(request, true));
		}
		catch (LockNotAcquiredException ex) {
			return Optional.empty();
		}
	}

	private Lease acquire(LockRequest request, boolean trying) {
		try {
			return acquireInterruptibly(request, trying);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new LockInterruptedException(request.name(), request.keys().get(0), ex);
		}
	}

	/**
	 * Acquire for a thread that waits.
	 * @param request the locks and the options
	 * @param trying {@code true} to attempt once, unless the request itself sets a budget
	 * @return the lease
	 */
	Lease acquireInterruptibly(LockRequest request, boolean trying) throws InterruptedException {
		if (TemplateLease.isRequested(request)) {
			return take(request, trying);
		}
		String place = this.engine.leaks.sample();
		return this.engine.leaks.tracked(take(request, trying), place);
	}

	private Lease take(LockRequest request, boolean trying) throws InterruptedException {
		LockTerms terms = resolve(request.name(), request.options());
		long now = this.engine.instance.clock.nanos();
		long deadline = trying ? Waiter.deadline(now, requested(request)) : Waiter.deadline(now, terms);
		if (request.keys().size() == 1) {
			LockKey key = new LockKey(request.name(), request.keys().get(0));
			return acquire(List.of(key), terms, request.owner(), now, deadline, true);
		}
		return acquireAll(request, terms, now, deadline, true);
	}

	private static Duration requested(LockRequest request) {
		Duration wait = request.options().waitFor();
		return (wait != null) ? wait : Duration.ZERO;
	}

	private Lease acquireAll(LockRequest request, LockTerms terms, long now, long deadline, boolean interruptible)
			throws InterruptedException {
		ObservedCall call = ObservedCall.begin(this.observer, request, terms, now);
		return (call != null) ? call.run(() -> takeAll(request, terms, now, deadline, interruptible))
				: takeAll(request, terms, now, deadline, interruptible);
	}

	private Lease takeAll(LockRequest request, LockTerms terms, long now, long deadline, boolean interruptible)
			throws InterruptedException {
		if (interruptible && Thread.currentThread().isInterrupted()) {
			requireNoInterrupt(LockKeys.of(request));
		}
		return new Acquisition(this.engine, request, terms, now, deadline).await(interruptible);
	}

	/**
	 * Acquire for the calling thread with a budget that overrides the profile.
	 * @param keys those of the request
	 * @param request the locks and the options
	 * @param wait the budget
	 * @return the lease
	 */
	Lease acquireInterruptibly(List<LockKey> keys, LockRequest request, Duration wait) throws InterruptedException {
		LockTerms terms = resolve(request.name(), request.options());
		long now = this.engine.instance.clock.nanos();
		String place = this.engine.leaks.sample();
		return this.engine.leaks.tracked(acquireForThread(keys, request, terms, now, Waiter.deadline(now, wait), true),
				place);
	}

	/**
	 * Acquire for the calling thread, with no limit of time and without being
	 * interrupted.
	 * @param keys those of the request
	 * @param request the locks and the options
	 * @param once {@code true} to attempt only once
	 * @return the lease
	 */
	Lease acquireUninterruptibly(List<LockKey> keys, LockRequest request, boolean once) {
		LockTerms terms = resolve(request.name(), request.options());
		long now = this.engine.instance.clock.nanos();
		String place = this.engine.leaks.sample();
		try {
			return this.engine.leaks
				.tracked(acquireForThread(keys, request, terms, now, once ? now : Waiter.FOREVER, false), place);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException("Interrupts do not end this wait", ex);
		}
	}

	private Lease acquireForThread(List<LockKey> keys, LockRequest request, LockTerms terms, long now, long deadline,
			boolean interruptible) throws InterruptedException {
		return (keys.size() == 1) ? acquire(keys, terms, Thread.currentThread(), now, deadline, interruptible)
				: acquireAll(request.ownedByCurrentThread(), terms, now, deadline, interruptible);
	}

	@Override
	public LockOptions resolve(LockRequest request) {
		return this.profiles.resolve(request.name(), request.options());
	}

	/**
	 * Resolve the terms of a call. Callers of one method or lock have the same options.
	 */
	LockTerms resolve(String name, LockOptions options) {
		int slot = Math.floorMod(31 * name.hashCode() + options.hashCode(), RECENT_TERMS);
		LockTerms recent = this.recentTerms[slot];
		if (recent == null || !recent.requested.equals(options) || !recent.name.equals(name)) {
			recent = LockTerms.of(this.profiles, name, options);
			this.recentTerms[slot] = recent;
		}
		return recent;
	}

	private Lease acquire(List<LockKey> keys, LockTerms terms, @Nullable Object owner, long now, long deadline,
			boolean interruptible) throws InterruptedException {
		ObservedCall call = (this.observer != null) ? ObservedCall.begin(this.observer, keys.get(0), terms, now) : null;
		return (call != null) ? call.run(() -> take(keys, terms, owner, now, deadline, interruptible))
				: take(keys, terms, owner, now, deadline, interruptible);
	}

	private Lease take(List<LockKey> keys, LockTerms terms, @Nullable Object owner, long now, long deadline,
			boolean interruptible) throws InterruptedException {
		if (interruptible) {
			requireNoInterrupt(keys);
		}
		if (terms.mode != LockMode.EXCLUSIVE || !terms.lockDelay.isZero()) {
			this.engine.instance.offer.require(terms, keys);
		}
		Waiter waiter = new Waiter(this.engine.instance, keys, terms, owner, now, deadline);
		this.engine.queues.enter(waiter);
		GrantLease lease = this.engine.queues.await(waiter, interruptible);
		lease.hold.begin(terms, owner);
		return lease;
	}

	private static void requireNoInterrupt(List<LockKey> keys) throws InterruptedException {
		if (Thread.interrupted()) {
			throw new InterruptedException("Interrupted before waiting for lock '" + LockKeys.describe(keys) + "'");
		}
	}

	@Override
	public CompletionStage<Lease> acquireAsync(LockRequest request) {
		LockTerms terms = resolve(request.name(), request.options());
		long now = this.engine.instance.clock.nanos();
		AsyncAcquisition acquisition = new AsyncAcquisition(this.engine,
				new Acquisition(this.engine, request, terms, now, Waiter.deadline(now, terms)), request);
		acquisition.place = TemplateLease.isRequested(request) ? null : this.engine.leaks.sample();
		acquisition.observed = ObservedCall.begin(this.observer, request, terms, now);
		return acquisition.start();
	}

	@Override
	public void setPermits(String name, String key, int permits) {
		this.inspector.setPermits(name, key, permits);
	}

	@Override
	public boolean extend(LeaseHandle handle, Duration ttl) {
		return this.handles.extend(handle, ttl);
	}

	@Override
	public boolean release(LeaseHandle handle) {
		return this.handles.release(handle);
	}

	/**
	 * Return the number of events that were dropped because listeners were too slow. Up
	 * to 4,096 events wait for them; events of losses are apart and never dropped.
	 * @return the number since this registry was created
	 */
	public long droppedEvents() {
		return this.events.dropped();
	}

	/**
	 * Return the numbers of held locks and waiting callers, and the counters of past
	 * events.
	 * @return a live view
	 */
	public LockStatistics statistics() {
		return new EngineStatistics(this.engine.queues.index, this.events);
	}

	/** The leases that threads hold through locks of a key. */
	ThreadLeases threads() {
		return this.threads;
	}

	/**
	 * Ask the store now to confirm all locks that are held, and not only at their next
	 * renewal: for instance after a lock was deleted by hand. Until the store has
	 * answered, their leases are {@linkplain Lease#isHeld() in doubt}. A lock that the
	 * store does not have is lost.
	 */
	public void confirm() {
		this.engine.instance.clock.distrust();
	}

	/**
	 * Declare that this process may have been restored from an image, as by CRaC, and
	 * that others may go on from the same one. Every held lock is lost with
	 * {@link LossReason#RESTORED}. It is not released but expires in the store, since
	 * another process may hold it as well. Later requests and those of waiting callers
	 * have a new identity. An application's lifecycle calls this.
	 */
	public void restored() {
		this.engine.restored();
	}

	/**
	 * Hand out no more locks, end all waiting, and wait up to the grace period for
	 * running bodies and their releases. Then notify the other holders that their locks
	 * are lost. Those are not released, since their bodies still run: they expire in the
	 * store. Then close the store. All losses are logged by then, unless code that the
	 * engine calls blocks it for two seconds. Does nothing when called again.
	 */
	@Override
	public void close() {
		this.engine.close();
	}

	Engine engine() {
		return this.engine;
	}

}

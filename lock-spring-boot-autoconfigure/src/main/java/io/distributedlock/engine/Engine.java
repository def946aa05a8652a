package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.LongUnaryOperator;
import java.util.function.Supplier;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.timer.EngineLoop;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * What the queues, grants and timers of one instance share. Has neither threads nor
 * sockets: it is driven by callers, by answers of the store and by the loop's driver.
 */
final class Engine implements WakeUpListener {

	static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

	/** The longest command time-out that a pending abandon may have to outlive. */
	private static final long ABANDON_MARGIN_NANOS = 5_000_000_000L;

	private final LockStore store;

	final Offer offer;

	private final EngineSettings settings;

	final Doubt doubt;

	private final EngineLoop loop;

	private final EngineExecutors executors;

	private final LongUnaryOperator jitter;

	private final @Nullable LockEventListener listener;

	private final Renewals renewals = new Renewals(this);

	private final Queues queues = new Queues(this);

	private final Reentrance sets;

	private final HolderNames holders;

	private final Warnings losses = new Warnings(this, "locks were lost within a second",
			"Other holders may run now: guard what the locks protect with the fencing token");

	private final Warnings failedReleases = new Warnings(this, "releases were not confirmed within a second",
			"They are tried again, and the locks are free after their ttl at the latest");

	private final AtomicLong highestToken = new AtomicLong();

	private final AtomicInteger held = new AtomicInteger();

	/** Of what was held. */
	private final AtomicInteger releases = new AtomicInteger();

	/** Of requests that may have been applied. */
	private final AtomicInteger abandons = new AtomicInteger();

	private final Object idle = new Object();

	private volatile boolean closed;

	private volatile boolean stopped;

	Engine(LockStore store, EngineSettings settings, EngineDrive drive, @Nullable LockEventListener listener) {
		this.store = store;
		this.offer = new Offer(store);
		this.sets = new Reentrance(this.offer, this.queues);
		this.settings = settings;
		this.doubt = new Doubt(this, drive);
		this.holders = new HolderNames(this.doubt, this.sets);
		this.loop = drive.loop();
		this.executors = drive.executors();
		this.jitter = drive.jitter();
		this.listener = listener;
		this.loop.afterTick(this.renewals::flush);
		store.start(this.doubt.requestIds().instance(), this);
	}

	long now() {
		return this.doubt.now();
	}

	LockStore store() {
		return this.store;
	}

	EngineSettings settings() {
		return this.settings;
	}

	EngineLoop loop() {
		return this.loop;
	}

	EngineExecutors executors() {
		return this.executors;
	}

	/** Kept apart, so that a loss is told while other callbacks are stuck. */
	Executor lossCallbacks() {
		return this.executors.losses();
	}

	Renewals renewals() {
		return this.renewals;
	}

	long jitter(long nanos) {
		return this.jitter.applyAsLong(nanos);
	}

	long highestToken() {
		return this.highestToken.get();
	}

	void sawToken(long token) {
		this.highestToken.accumulateAndGet(token, Math::max);
	}

	/** A new grant, in the place of another one of the same queue if there was one. */
	Grant newGrant(KeyQueue queue, @Nullable Grant before, LockTerms terms) {
		Grant grant = new Grant(queue, this.doubt.since(), this.doubt.requestIds(), before, terms);
		this.queues.begins(grant);
		return grant;
	}

	int newMark() {
		return this.doubt.requestIds().mark();
	}

	Reentrance sets() {
		return this.sets;
	}

	HolderNames holders() {
		return this.holders;
	}

	/** Let a waiter into the queue of its keys, or into what it holds already. */
	void enter(Waiter waiter) {
		if (this.sets.enterHeld(waiter)) {
			return;
		}
		KeyQueue queue;
		do {
			queue = this.queues.of(waiter);
		}
		while (!queue.enter(waiter));
		this.sets.lookAgain(waiter, queue);
	}

	void retire(KeyQueue queue) {
		this.queues.remove(queue);
	}

	/** See to the end of a waiter's budget, if it still waits. */
	void watch(Waiter waiter) {
		if (waiter.deadline != Waiter.FOREVER && !waiter.once) {
			waiter.endAt(waiter.deadline);
		}
	}

	void granted(Grant grant, GrantLease lease, Waiter waiter, long sentAt) {
		this.renewals.register(grant, sentAt);
		Duration waited = waiter.waited(now());
		lease.giveTo(waiter);
		publish(grant, (key) -> new LockEvent.Acquired(key.name(), key.key(), grant.mode(), grant.token(), waited));
	}

	/** The store answered late, wrongly or not at all. */
	LockStoreException failure(String what, LockKeys keys, @Nullable Throwable ex) {
		return Failure.ofStore(this.store, what, keys, ex);
	}

	/** The store has not answered an attempt at all. */
	LockStoreException silence(LockKeys keys, long nanos) {
		return Failure.silence(this.store, keys, nanos);
	}

	/** A lock has run out before the store has given the others that go with it. */
	LockStoreException tooLate(GrantLease lost) {
		return failure("acquire", lost.grant().queue.keys(), null);
	}

	LockNotAcquiredException busy(Waiter waiter, LockKey key, @Nullable String holder) {
		LockNotAcquiredException ex = new LockNotAcquiredException(key.name(), key.key(), holder, waiter.waited(now()),
				this.holders.whyBusy(waiter, key, holder));
		if (isListening()) {
			publish(new LockEvent.Busy(key.name(), key.key(), waiter.terms.mode(), ex.getWaited()));
		}
		return ex;
	}

	/** Noted before anybody can see the grant, so that closing does not miss it. */
	void holdBegins(Grant grant) {
		this.held.incrementAndGet();
		this.queues.holds(grant);
	}

	LockStoreException renewalFailed(Grant grant, @Nullable Throwable ex) {
		LockStoreException failure = failure("renew", grant.queue.keys(), ex);
		grant.renewalFailed(failure);
		publish(grant,
				(key) -> new LockEvent.RenewalFailed(key.name(), key.key(), grant.mode(), grant.token(), failure));
		return failure;
	}

	/** Call the store; what it throws is an answer as well, an Error too. */
	<T> CompletableFuture<T> ask(Supplier<? extends CompletableFuture<T>> command) {
		try {
			return command.get();
		}
		catch (Throwable ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	/**
	 * Give a lock back. If nothing ran under it, it is not kept either.
	 * @return completes when the store has answered, or has not in time
	 */
	CompletableFuture<Void> release(Grant grant) {
		boolean held = grant.beginRelease(now());
		if (!held && LostRequest.isOver(grant)) {
			return DONE;
		}
		if (held) {
			// The timer of a lease that was lost has yet to tell so.
			this.loop.cancel(grant);
		}
		CompletableFuture<Void> ended = grant.isUsed() ? giveBack(grant) : takeBack(grant);
		return held ? ended : DONE;
	}

	private CompletableFuture<Void> giveBack(Grant grant) {
		LockKeys keys = grant.queue.keys();
		return new BackgroundCommand<>(this, this.releases, "release", keys,
				() -> this.store.release(new ReleaseCommand(keys.list(), grant.request(), grant.marks())),
				now() + grant.ttlNanos())
			.start(grant::requestEnded)
			.thenAccept((answer) -> {
				if (Boolean.FALSE.equals(answer.value())) {
					grant.lostAtRelease();
				}
				else {
					released(grant, answer.failure());
				}
			});
	}

	private CompletableFuture<Void> takeBack(Grant grant) {
		LockKeys keys = grant.queue.keys();
		return new BackgroundCommand<>(this, this.releases, "abandon", keys,
				() -> this.store.abandon(new AbandonCommand(keys.list(), grant.request())), now() + grant.ttlNanos())
			.start(grant::requestEnded)
			.thenAccept((answer) -> released(grant, answer.failure()));
	}

	private void released(Grant grant, @Nullable LockStoreException failure) {
		if (!grant.released()) {
			return;
		}
		notHeldAnyMore(grant, failure == null);
		LockKeys keys = grant.queue.keys();
		if (failure != null) {
			this.failedReleases.warn(grant, "held to the end", failure, () -> "Lock '%s' was held to the end, but its "
				.formatted(keys.describe())
					+ "release was not confirmed (%s). It is tried again, and the lock is free after its ttl at the latest"
						.formatted(failure.getMessage()));
			publish(grant,
					(key) -> new LockEvent.ReleaseFailed(key.name(), key.key(), grant.mode(), grant.token(), failure));
		}
		else {
			Duration held = grant.heldFor(now());
			publish(grant, (key) -> new LockEvent.Released(key.name(), key.key(), grant.mode(), grant.token(), held));
		}
	}

	/**
	 * End a request that may have been applied, or may still be.
	 * @param refused whether the store has refused each attempt, so that it keeps at most
	 * the waiter entry of the request
	 * @return completes when the store has answered, or has not in time
	 */
	CompletableFuture<Void> abandon(Grant grant, boolean refused) {
		BackgroundCommand<Void> command = ending(grant, null, Duration.ZERO);
		return end(grant, refused ? command.endingWhenRefused() : command);
	}

	/**
	 * End a request that has what nobody is to get.
	 * @param successor what its caller goes on with
	 * @param waiting how long that has the place of the ended one, or zero if it has none
	 * @return completes when the store has answered, or has not in time
	 */
	CompletableFuture<Void> replace(Grant ended, Grant successor, Duration waiting) {
		return waiting.isZero() ? abandon(ended, false) : end(ended, ending(ended, successor.request(), waiting));
	}

	private BackgroundCommand<Void> ending(Grant grant, @Nullable RequestId successor, Duration waiting) {
		LockKeys keys = grant.queue.keys();
		AbandonCommand command = new AbandonCommand(keys.list(), grant.request(), successor, waiting);
		long until = now() + grant.ttlNanos() + this.store.commandTimeout().toNanos() + ABANDON_MARGIN_NANOS;
		return new BackgroundCommand<>(this, this.abandons, "abandon", keys, () -> this.store.abandon(command), until);
	}

	private CompletableFuture<Void> end(Grant grant, BackgroundCommand<Void> command) {
		return command.start(grant::requestEnded).thenRun(() -> wakeUpOverlapping(grant.queue));
	}

	/**
	 * The store has this instance in line for a key once, whichever line waits for it
	 * here, and may have woken it, or taken it out, for one of them only. Who has a place
	 * of its own there keeps that.
	 */
	private void wakeUpOverlapping(KeyQueue ended) {
		if (!Queues.isPlain(ended) || !this.queues.areAllPlain()) {
			wakeUp(ended.keys());
		}
	}

	/** Let those look again who have no place of their own in the store. */
	void wakeUp(LockKeys keys) {
		for (LockKey key : keys.list()) {
			this.queues.forEachLine(key.encoded(), KeyQueue::wakeUp);
		}
	}

	/** Tell everybody concerned. Called once for a grant, on the loop. */
	void lost(Grant grant, LossReason reason) {
		LostRequest.end(grant);
		grant.queue.leases(grant).forEach(GrantLease::lost);
		notHeldAnyMore(grant, reason == LossReason.NOT_OWNER);
		Duration held = grant.heldFor(now());
		LockStoreException cause = grant.renewalFailure();
		publish(grant,
				(key) -> new LockEvent.Lost(key.name(), key.key(), grant.mode(), grant.token(), reason, held, cause));
		this.losses.warn(grant, reason.description(), cause, () -> LossMessage.of(grant, reason));
	}

	private void notHeldAnyMore(Grant grant, boolean confirmed) {
		this.held.decrementAndGet();
		this.queues.released(grant);
		signalIdle();
		if (grant.queue.mode().isExclusive()) {
			wakeUpOverlapping(grant.queue);
		}
		grant.queue.ended(grant, confirmed);
	}

	private void publish(Grant grant, Function<LockKey, LockEvent> event) {
		if (isListening()) {
			grant.queue.keys().list().forEach((key) -> publish(event.apply(key)));
		}
	}

	/** One that cannot say so is told, on a thread where what it throws is logged. */
	private boolean isListening() {
		try {
			return this.listener != null && this.listener.isListening();
		}
		catch (Throwable ex) {
			return true;
		}
	}

	private void publish(LockEvent event) {
		LockEventListener told = this.listener;
		if (told != null) {
			Executor executor = (event instanceof LockEvent.Lost) ? lossCallbacks() : this.executors.events();
			executor.execute(() -> told.onLockEvent(event));
		}
	}

	@Override
	public void wakeUp(String encodedKey) {
		this.queues.forEach(encodedKey, KeyQueue::wakeUp);
	}

	@Override
	public void wakeUp(String encodedKey, String request) {
		KeyQueue queue = this.queues.contending(encodedKey, request);
		if (queue != null) {
			queue.wakeUp(request);
		}
	}

	/** The store was away for a moment: look at what is waited for and what is held. */
	@Override
	public void wakeUpAll() {
		for (KeyQueue queue : this.queues.all()) {
			queue.wakeUp();
			for (Grant grant : queue.allHeld()) {
				if (grant.wantsRenewal(now())) {
					grant.schedule(now());
				}
			}
		}
	}

	/** From here on nobody drives the loop, so nothing may wait for a time-out. */
	void stop() {
		this.stopped = true;
		this.loop.abortAll();
		this.losses.stop();
		this.failedReleases.stop();
	}

	boolean isStopped() {
		return this.stopped;
	}

	boolean isClosed() {
		return this.closed;
	}

	/** Hand out no more locks, and end the waiting for them. */
	void stopHandingOut() {
		this.closed = true;
		this.queues.all().forEach(KeyQueue::close);
	}

	/** Tell whoever still holds a lock that it is over. */
	void loseAll(LossReason reason) {
		this.queues.all().forEach((queue) -> queue.allHeld().forEach((grant) -> grant.lose(reason)));
	}

	/**
	 * Wait until no lock is held and every release is confirmed.
	 * @param nanos the longest time to wait
	 * @return whether it is so
	 */
	boolean awaitHolders(long nanos) throws InterruptedException {
		return await(nanos, () -> this.held.get() + this.releases.get() == 0);
	}

	/** As {@link #awaitHolders}, and no request is to be ended any more. */
	boolean awaitIdle(long nanos) throws InterruptedException {
		return await(nanos, () -> this.held.get() + backgroundCount() == 0);
	}

	private boolean await(long nanos, BooleanSupplier idle) throws InterruptedException {
		long deadline = now() + nanos;
		synchronized (this.idle) {
			while (!idle.getAsBoolean()) {
				long left = deadline - now();
				if (left <= 0) {
					return false;
				}
				this.idle.wait(left / 1_000_000 + 1);
			}
			return true;
		}
	}

	void signalIdle() {
		if (this.closed) {
			synchronized (this.idle) {
				this.idle.notifyAll();
			}
		}
	}

	int heldCount() {
		return this.held.get();
	}

	int backgroundCount() {
		return this.releases.get() + this.abandons.get();
	}

	Queues queues() {
		return this.queues;
	}

	int queueCount() {
		return this.queues.size();
	}

}

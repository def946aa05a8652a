package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.instance.EngineDrive;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.line.KeyQueue;
import io.distributedlock.engine.internal.line.Queues;
import io.distributedlock.engine.internal.report.LockEvents;
import io.distributedlock.engine.internal.time.EngineLoop;
import io.distributedlock.engine.internal.time.HeapTimer;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.WakeUpListener;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Connects the parts of one instance, and passes on the events that concern all of its
 * queues. Has neither threads nor sockets: callers, answers of the store and the loop's
 * driver drive it. The timer has all held locks confirmed.
 */
final class Engine extends HeapTimer implements WakeUpListener {

	private static final LockLog logger = LockLog.of(Engine.class);

	/**
	 * Time that closing waits for the last answers of the store, beyond the grace period.
	 * A lock that is no longer held expires by itself.
	 */
	private static final long LAST_ANSWERS_NANOS = 1_000_000_000;

	final Instance instance;

	final Queues queues;

	final LeakDetector leaks;

	private final EngineLoop loop;

	private final Duration shutdownGrace;

	private final LockEvents events;

	Engine(LockStore store, EngineSettings settings, EngineDrive drive, @Nullable LockEventListener listener) {
		this.loop = drive.loop();
		this.shutdownGrace = settings.shutdownGrace();
		this.instance = new Instance(store, settings.pollInterval(), settings.handOff(), drive, this.loop.timers(),
				this::doubt);
		this.events = new LockEvents(this.instance, listener);
		this.queues = new Queues(this.instance, this.events);
		this.leaks = new LeakDetector(this.instance, settings.leakDetection());
		this.loop.afterTick(this::afterTick);
		start();
	}

	private void start() {
		this.instance.store.start(this.instance.requestIds().instance(), this);
	}

	/**
	 * Send due renewals and find leaks. A forgotten lease is renewed, so there are ticks.
	 */
	private void afterTick() {
		this.queues.index.renewals.flush();
		this.leaks.find();
	}

	/** Have all held locks confirmed. The clock's monitor is held. */
	private void doubt() {
		if (!this.instance.isStopped()) {
			this.instance.timers.schedule(this, 0);
		}
	}

	/** Have all held locks confirmed, with the current identity. */
	@Override
	public void fire(long now) {
		try {
			logger.info("This machine was suspended or restored from an image, its wall clock was set, the application "
					+ "was stopped and started, another process has its identity, the server of the locks was started "
					+ "again, or a confirmation was asked for. All locks that are held have to be confirmed, and those of later requests are held by instance "
					+ this.instance.requestIds().instance());
			start();
			this.queues.index.names.announce();
		}
		finally {
			this.queues.index.all().forEach(KeyQueue::doubted);
		}
	}

	/**
	 * Lose all held locks, since other processes from the same image may hold them as
	 * well.
	 */
	void restored() {
		this.instance.clock.distrust();
		loseAll(LossReason.RESTORED);
	}

	@Override
	public void wakeUp(String encodedKey) {
		this.queues.index.forEach(encodedKey, (queue) -> queue.wakeUp(null));
	}

	@Override
	public void wakeUp(String encodedKey, String request) {
		this.queues.index.contending(request, (queue) -> queue.wakeUp(request));
	}

	/**
	 * Pass a claim to the line of its request, or give it up at once if the line has
	 * dropped that request without ending it. Other claims are not touched: they may
	 * belong to another process from the same image.
	 */
	@Override
	public void claimed(String encodedKey, String request, long token) {
		this.queues.index.forContending(encodedKey, request, (queue) -> queue.claimed(request, token));
	}

	/** Have the store asked, which confirms or denies the revocation. */
	@Override
	public void revoked(String encodedKey, String request) {
		ask(encodedKey, request);
	}

	@Override
	public void doubted() {
		this.instance.clock.distrust();
	}

	/**
	 * Have the store asked for locks that it may have ended.
	 * @param request the only request, if not {@code null}
	 * @return the grants that are held as far as is known here
	 */
	List<Grant> ask(String encodedKey, @Nullable String request) {
		List<Grant> asked = new ArrayList<>();
		this.queues.index.forEach(encodedKey, (queue) -> asked.addAll(queue.ask(request)));
		return asked;
	}

	/** Check all waiters and held locks, since the store was away for a moment. */
	@Override
	public void wakeUpAll() {
		for (KeyQueue queue : this.queues.index.all()) {
			queue.ask(null);
			queue.wakeUp(null);
		}
	}

	@Override
	public void wakeUpsLost() {
		this.queues.index.all().forEach(KeyQueue::wakeUpsLost);
	}

	/** Hand out no more locks, and end the waiting for them. */
	void stopHandingOut() {
		this.instance.close();
		this.queues.index.all().forEach(KeyQueue::close);
	}

	/** Lose every lock that is still held. */
	void loseAll(LossReason reason) {
		this.queues.index.all().forEach((queue) -> queue.allHeld().forEach((grant) -> grant.lose(reason)));
	}

	/**
	 * Hand out no more locks, wait for the held ones, notify the remaining holders of
	 * their loss, and close the store. Does nothing when called again.
	 */
	void close() {
		if (this.instance.isClosed()) {
			return;
		}
		stopHandingOut();
		boolean interrupted = Thread.interrupted();
		if (interrupted || !await(false, this.shutdownGrace.toNanos())) {
			interrupted |= Thread.interrupted();
			loseAll(LossReason.SHUTDOWN);
		}
		await(true, LAST_ANSWERS_NANOS);
		interrupted |= Thread.interrupted();
		stop();
		this.instance.store.close();
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Wait until the instance is idle. An interrupt ends the wait, and its flag stays
	 * set.
	 */
	private boolean await(boolean abandoned, long nanos) {
		try {
			return this.instance.awaitIdle(abandoned, nanos);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/** Stop the loop. Then it has no driver, so nothing may wait for a time-out. */
	void stop() {
		this.loop.stop();
		this.events.stop();
	}

}

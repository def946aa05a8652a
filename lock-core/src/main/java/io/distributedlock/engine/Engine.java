package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.HeapTimer;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.WakeUpListener;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Puts the parts of one instance together, and passes on what concerns all of its queues.
 * Has neither threads nor sockets: it is driven by callers, by answers of the store and
 * by the loop's driver. The timer has everything confirmed that is held.
 */
final class Engine extends HeapTimer implements WakeUpListener {

	private static final LockLog logger = LockLog.of(Engine.class);

	/**
	 * How long closing waits for the last answers of the store, beyond the grace: what is
	 * not held ends by itself.
	 */
	private static final long LAST_ANSWERS_NANOS = 1_000_000_000;

	final Instance instance;

	final Queues queues;

	final LeakDetector leaks;

	private final LockEvents events;

	Engine(LockStore store, EngineSettings settings, EngineDrive drive, @Nullable LockEventListener listener) {
		this.instance = new Instance(store, settings, drive, this::doubt);
		this.events = new LockEvents(this.instance, listener);
		this.queues = new Queues(this.instance, this.events);
		this.leaks = new LeakDetector(this.instance);
		this.instance.loop.afterTick(this::afterTick);
		start();
	}

	private void start() {
		this.instance.store.start(this.instance.requestIds().instance(), this);
	}

	/** A lease that is forgotten is renewed, so there are ticks. */
	private void afterTick() {
		this.queues.renewals.flush();
		this.leaks.find();
	}

	/** The clock has jumped; its monitor is held. */
	private void doubt() {
		if (!this.instance.isStopped()) {
			this.instance.loop.schedule(this, 0);
		}
	}

	/** Have everything confirmed that is held, with the identity of now. */
	@Override
	public void fire(long now) {
		try {
			logger.info("This machine was suspended or restored from an image, its wall clock was set, the application "
					+ "was stopped and started, another process has its identity, or a confirmation was asked for. "
					+ "All locks that are held have to be confirmed, and those of later requests are held by instance "
					+ this.instance.requestIds().instance());
			start();
			this.queues.names.announce();
		}
		finally {
			this.queues.all().forEach(KeyQueue::doubted);
		}
	}

	/**
	 * Other processes may go on from the same image: what is held may be theirs as well.
	 */
	void restored() {
		this.instance.clock.distrust();
		loseAll(LossReason.RESTORED);
	}

	@Override
	public void wakeUp(String encodedKey) {
		this.queues.forEach(encodedKey, (queue) -> queue.wakeUp(null));
	}

	@Override
	public void wakeUp(String encodedKey, String request) {
		KeyQueue queue = this.queues.contending(encodedKey, request);
		if (queue != null) {
			queue.wakeUp(request);
		}
	}

	/**
	 * What no caller waits for is given up at once, unless the end of the request sees to
	 * it. A process may hear the claims of another one from the same image, and must not
	 * touch them.
	 */
	@Override
	public void claimed(String encodedKey, String request, long token) {
		KeyQueue queue = this.queues.contending(encodedKey, request);
		if (queue != null && !queue.claimed(request, token)) {
			Claim.giveUp(this.instance.store, encodedKey, request);
		}
	}

	/** Whether that is so is for the store to say. */
	@Override
	public void revoked(String encodedKey, String request) {
		ask(encodedKey, request);
	}

	/**
	 * Have the store asked for what it may have ended.
	 * @param request the only one, if not {@code null}
	 * @return those that are held as far as is known here
	 */
	List<Grant> ask(String encodedKey, @Nullable String request) {
		List<Grant> asked = new ArrayList<>();
		this.queues.forEach(encodedKey, (queue) -> asked.addAll(queue.ask(request)));
		return asked;
	}

	/** The store was away for a moment: look at what is waited for and what is held. */
	@Override
	public void wakeUpAll() {
		for (KeyQueue queue : this.queues.all()) {
			queue.ask(null);
			queue.wakeUp(null);
		}
	}

	@Override
	public void wakeUpsLost() {
		this.queues.all().forEach(KeyQueue::wakeUpsLost);
	}

	/** Hand out no more locks, and end the waiting for them. */
	void stopHandingOut() {
		this.instance.close();
		this.queues.all().forEach(KeyQueue::close);
	}

	/** Every lock that is still held is lost. */
	void loseAll(LossReason reason) {
		this.queues.all().forEach((queue) -> queue.allHeld().forEach((grant) -> grant.lose(reason)));
	}

	/**
	 * Hand out no more locks, wait for what is held, tell the rest that it is lost, and
	 * close the store. Does nothing when called again.
	 */
	void close() {
		if (this.instance.isClosed()) {
			return;
		}
		stopHandingOut();
		boolean interrupted = Thread.interrupted();
		if (interrupted || !await(false, this.instance.settings.shutdownGrace().toNanos())) {
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

	/** An interrupt ends the wait, and stays for the caller to see. */
	private boolean await(boolean abandoned, long nanos) {
		try {
			return this.instance.awaitIdle(abandoned, nanos);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return false;
		}
	}

	/** From here on the loop has no driver, so nothing may wait for a time-out. */
	void stop() {
		this.instance.loop.stop();
		this.events.stop();
	}

}

package io.distributedlock.engine;

import io.distributedlock.LossReason;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * Puts the parts of one instance together, and passes on what concerns all of its queues.
 * Has neither threads nor sockets: it is driven by callers, by answers of the store and
 * by the loop's driver.
 */
final class Engine implements WakeUpListener {

	final Instance instance;

	final Queues queues;

	private final LockEvents events;

	Engine(LockStore store, EngineSettings settings, EngineDrive drive, @Nullable LockEventListener listener) {
		this.instance = new Instance(store, settings, drive);
		this.events = new LockEvents(this.instance, listener);
		this.queues = new Queues(this.instance, this.events);
		this.instance.loop.afterTick(this.queues.renewals::flush);
		this.instance.doubt.confirmation(this::confirm);
		start();
	}

	private void start() {
		this.instance.store.start(this.instance.doubt.requestIds().instance(), this);
	}

	/** Have everything confirmed that is held, with the identity of now. */
	private void confirm() {
		try {
			start();
		}
		finally {
			this.queues.all().forEach(KeyQueue::doubted);
		}
	}

	/**
	 * Other processes may go on from the same image: what is held may be theirs as well.
	 */
	void restored() {
		this.instance.doubt.distrust();
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

	/** The store was away for a moment: look at what is waited for and what is held. */
	@Override
	public void wakeUpAll() {
		for (KeyQueue queue : this.queues.all()) {
			queue.wakeUp(null);
			for (Grant grant : queue.allHeld()) {
				if (grant.wantsRenewal(this.instance.now())) {
					grant.schedule(this.instance.now());
				}
			}
		}
	}

	/** Hand out no more locks, and end the waiting for them. */
	void stopHandingOut() {
		this.instance.quiescence.close();
		this.queues.all().forEach(KeyQueue::close);
	}

	/** Every lock that is still held is lost. */
	void loseAll(LossReason reason) {
		this.queues.all().forEach((queue) -> queue.allHeld().forEach((grant) -> grant.lose(reason)));
	}

	/** From here on the loop has no driver, so nothing may wait for a time-out. */
	void stop() {
		this.instance.quiescence.stop();
		this.instance.loop.abortAll();
		this.events.stop();
	}

}

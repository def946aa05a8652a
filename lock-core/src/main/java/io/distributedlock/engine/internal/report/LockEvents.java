package io.distributedlock.engine.internal.report;

import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.function.Function;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.instance.EngineExecutors;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.lease.LeakTracker;
import io.distributedlock.event.AcquiredFrom;
import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Publishes lock events to the listener, and logs losses and failed releases. While the
 * listener does not listen, no event is made: {@link #listening} keeps acquisitions and
 * releases away, and each event of another type asks the listener again.
 */
public final class LockEvents {

	/** {@code true} if the listener wanted events when it was asked last. */
	public volatile boolean listening;

	/**
	 * Number of times the listener has said that it listens; written under the monitor.
	 */
	private volatile int heard;

	private final Instance instance;

	private final @Nullable LockEventListener listener;

	private final Warnings losses;

	private final Warnings failedReleases;

	public LockEvents(Instance instance, @Nullable LockEventListener listener) {
		this.instance = instance;
		this.listener = listener;
		this.listening = listener != null;
		this.losses = new Warnings(instance, "locks were lost within a second");
		this.failedReleases = new Warnings(instance, "releases were not confirmed within a second");
	}

	public void acquired(Grant grant, Duration waited, AcquiredFrom from) {
		if (isListening()) {
			publish(grant,
					(key) -> new LockEvent.Acquired(key.name(), key.key(), grant.mode(), grant.token(), waited, from));
		}
	}

	public void busy(LockKey key, LockMode mode, Duration waited) {
		if (isListening()) {
			publish(new LockEvent.Busy(key.name(), key.key(), mode, waited));
		}
	}

	public void renewalFailed(Grant grant, LockStoreException failure) {
		if (isListening()) {
			publish(grant,
					(key) -> new LockEvent.RenewalFailed(key.name(), key.key(), grant.mode(), grant.token(), failure));
		}
	}

	public void endangered(Grant grant, LockStoreException failure) {
		if (isListening()) {
			Duration remaining = Duration.ofNanos(grant.remainingNanos(this.instance.now()));
			publish(grant, (key) -> new LockEvent.Endangered(key.name(), key.key(), grant.mode(), grant.token(),
					remaining, failure));
		}
	}

	public void released(Grant grant, @Nullable LockStoreException failure) {
		if (failure != null) {
			releaseFailed(grant, failure);
		}
		else if (isListening()) {
			Duration held = grant.heldFor(this.instance.now());
			publish(grant, (key) -> new LockEvent.Released(key.name(), key.key(), grant.mode(), grant.token(), held));
		}
	}

	private void releaseFailed(Grant grant, LockStoreException failure) {
		this.failedReleases.warn(LogLine.of(grant, String.valueOf(failure.getMessage()),
				() -> ("Lock '%s' was held to the end, but its release was not confirmed (%s). It is tried again, and "
						+ "the lock is free after its ttl at the latest")
					.formatted(LockKeys.describe(grant.keys()), failure.getMessage())));
		if (isListening()) {
			publish(grant,
					(key) -> new LockEvent.ReleaseFailed(key.name(), key.key(), grant.mode(), grant.token(), failure));
		}
	}

	public void lost(Grant grant, LossReason reason) {
		LockStoreException cause = grant.renewalFailure();
		if (isListening()) {
			Duration held = grant.heldFor(this.instance.now());
			publish(grant, (key) -> new LockEvent.Lost(key.name(), key.key(), grant.mode(), grant.token(), reason, held,
					cause));
		}
		String why = (cause != null) ? String.valueOf(cause.getMessage()) : reason.description();
		this.losses.warn(LogLine.of(grant, why, () -> message(grant, reason)));
	}

	/**
	 * Return the message for a loss: the lock, the reason, and the possible consequence.
	 */
	public static String message(Grant lost, LossReason reason) {
		String owner = (lost.owner() instanceof Thread thread) ? ", thread '" + thread.getName() + "'" : "";
		LockStoreException cause = lost.renewalFailure();
		String why = (cause != null) ? ". The last renewal failed: " + cause.getMessage() : "";
		return "Lock '%s' (token %d%s%s) was lost: %s%s. %s".formatted(LockKeys.describe(lost.keys()), lost.token(),
				owner, origin(lost, reason), reason.description(), why, consequence(lost));
	}

	/**
	 * Return where a lease was acquired that was not closed in time, if that is known.
	 */
	private static String origin(Grant lost, LossReason reason) {
		LeakTracker tracker = (reason == LossReason.OWNER_ENDED || reason == LossReason.MAX_HOLD) ? LeakTracker.of(lost)
				: null;
		return (tracker != null && !tracker.place().isEmpty()) ? ", acquired at " + tracker.place() : "";
	}

	/**
	 * Describe the consequence. The fencing token helps only if the lock excludes all
	 * others.
	 */
	private static String consequence(Grant lost) {
		return switch (lost.mode()) {
			case READ -> "A writer may run now, so values that were read may not belong together";
			case SEMAPHORE -> "One more than there are permits may run now";
			default -> (lost.instance.offer.commitCheck == null)
					? "Another holder may run now: guard the protected resource with the fencing token"
					: "Another holder may run now. Transactions that are checked before their commit are refused; "
							+ "guard other effects with the fencing token";
		};
	}

	private void publish(Grant grant, Function<LockKey, LockEvent> event) {
		grant.keys().forEach((key) -> publish(event.apply(key)));
	}

	/**
	 * Return whether the listener wants events. If it fails to answer, it gets them on a
	 * thread that logs its exceptions.
	 */
	private boolean isListening() {
		int before = this.heard;
		boolean answer;
		try {
			answer = this.listener != null && this.listener.isListening();
		}
		catch (Throwable ex) {
			answer = true;
		}
		note(answer, before);
		return answer;
	}

	/** Record an answer of the listener. A slow answer must not undo a later one. */
	private synchronized void note(boolean answer, int before) {
		if (answer) {
			this.heard++;
			this.listening = true;
		}
		else if (before == this.heard) {
			this.listening = false;
		}
	}

	private void publish(LockEvent event) {
		LockEventListener told = this.listener;
		if (told != null) {
			EngineExecutors executors = this.instance.executors;
			Executor executor = (event instanceof LockEvent.Lost) ? executors.losses() : executors.events();
			executor.execute(() -> told.onLockEvent(event));
		}
	}

	/**
	 * Write the log lines that were held back until now. From here on no thread drives
	 * the timers that would write them.
	 */
	public void stop() {
		this.losses.stop();
		this.failedReleases.stop();
	}

}

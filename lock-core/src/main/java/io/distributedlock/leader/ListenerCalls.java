package io.distributedlock.leader;

import io.distributedlock.engine.internal.instance.Callbacks;
import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one listener of an election, one after the other. There is no queue of
 * events that could be lost or late: the listener is brought from the leadership of which
 * it knows to the present one. So a leadership that has begun and ended meanwhile costs
 * no call. Fields are guarded by the election.
 */
final class ListenerCalls implements Runnable {

	private final LeaderElection election;

	private final LeaderListener listener;

	/** The leadership that was granted to the listener, until its revocation returned. */
	private @Nullable Leadership known;

	private boolean revoking;

	/** {@code true} while a thread calls the listener, or is asked for. */
	private boolean busy;

	private @Nullable Thread thread;

	ListenerCalls(LeaderElection election, LeaderListener listener) {
		this.election = election;
		this.listener = listener;
	}

	/** Have the listener called if there is news for it. */
	void wakeUp() {
		synchronized (this.election) {
			if (this.busy || !hasNews()) {
				return;
			}
			this.busy = true;
		}
		this.election.execute(this);
	}

	private boolean hasNews() {
		return this.known != this.election.current();
	}

	/** Call the listener until there is no news. */
	@Override
	public void run() {
		for (Runnable call = next(); call != null; call = next()) {
			try {
				call.run();
			}
			catch (Throwable ex) {
				Callbacks.log("A listener of the election of '%s' failed, which does not change who leads"
					.formatted(DisplayText.value(this.election.role())), ex);
			}
			// The interrupt was for that call: the next one would end its waits at once.
			Thread.interrupted();
		}
		this.election.finishIfQuiet();
	}

	/** Return the next call, {@code null} if there is no news. */
	@Nullable Runnable next() {
		this.election.endIfOver();
		synchronized (this.election) {
			this.known = this.revoking ? null : this.known;
			this.revoking = false;
			Leadership before = this.known;
			Leadership current = this.election.current();
			this.thread = Thread.currentThread();
			if (before != null && before != current) {
				this.revoking = true;
				return () -> this.listener.revoked(before);
			}
			if (before == null && current != null) {
				this.known = current;
				return () -> grant(current);
			}
			this.busy = false;
			this.thread = null;
			return null;
		}
	}

	/**
	 * Call the listener, unless the leadership has ended since the call was chosen: this
	 * thread may have stood still, and a stop without a grace period has returned.
	 */
	private void grant(Leadership leadership) {
		this.election.endIfOver();
		synchronized (this.election) {
			if (leadership.isEnded()) {
				this.known = null;
				return;
			}
		}
		this.listener.granted(leadership);
	}

	/** Return whether the listener has yet to return from a leadership. */
	boolean isInvolved() {
		return this.known != null;
	}

	/** Return whether the calling thread runs the listener. */
	boolean isCalling() {
		return this.thread == Thread.currentThread();
	}

}

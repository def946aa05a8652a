package io.distributedlock.history;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/** A recorded call that requests a lock. Exactly one of its outcomes is recorded. */
public final class Attempt {

	private final Recorder recorder;

	private final Event invoked;

	Attempt(Recorder recorder, Event invoked) {
		this.recorder = recorder;
		this.invoked = invoked;
		recorder.append(invoked);
	}

	/**
	 * The identity of the request.
	 * @return the request
	 */
	public String request() {
		return this.invoked.request();
	}

	/**
	 * The lock was got.
	 * @param token the fencing token
	 * @param validUntil until when it is valid without a renewal, see
	 * {@link Recorder#validUntil}
	 * @return the hold of the lock
	 */
	public Hold ok(long token, long validUntil) {
		Event event = this.invoked.lease(request(), token).validUntil(validUntil).result("", "");
		tell(event, Phase.OK);
		return new Hold(this.recorder, event);
	}

	/**
	 * The lock is held, because another process held it when the image was made that this
	 * one was restored from.
	 * @param token the fencing token of both
	 * @param validUntil until when it is valid without a renewal
	 * @return the hold of the lock
	 */
	public Hold cloned(long token, long validUntil) {
		Event event = this.invoked.lease(request(), token).validUntil(validUntil);
		tell(event.result(Event.CLONED, ""), Phase.OK);
		return new Hold(this.recorder, event.result("", ""));
	}

	/**
	 * The lock was certainly not got: busy, or refused.
	 * @param outcome why
	 */
	public void fail(String outcome) {
		tell(this.invoked.result(outcome, ""), Phase.FAIL);
	}

	/** The store was not asked: the caller has entered again a lock that it holds. */
	public void enteredAgain() {
		fail(Event.ENTERED_AGAIN);
	}

	/**
	 * It is not known whether the lock was granted.
	 * @param error the error
	 */
	public void info(String error) {
		tell(this.invoked.result("", error), Phase.INFO);
	}

	/** A request whose outcome is not known is about to be abandoned. */
	public void abandoning() {
		this.recorder.append(this.invoked.as(Op.ABANDON, Phase.INVOKE));
	}

	/** The store has acknowledged that the request was abandoned. */
	public void abandoned() {
		this.recorder.append(this.invoked.as(Op.ABANDON, Phase.OK));
	}

	private void tell(Event event, Phase phase) {
		this.recorder.append(event.as(Op.ACQUIRE, phase));
	}

}

package io.distributedlock.history;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/** A recorded lease, from its acquisition to its end. Thread-safe, as its recorder is. */
public final class Hold {

	/** The end of the reason of a loss of several locks, of which one was lost. */
	static final String OF_SEVERAL = "_OF_SEVERAL";

	private final Recorder recorder;

	private final Event acquired;

	Hold(Recorder recorder, Event acquired) {
		this.recorder = recorder;
		this.acquired = acquired.validUntil(0).values(0, 0);
	}

	/**
	 * The lock.
	 * @return the key
	 */
	public String key() {
		return this.acquired.key();
	}

	/**
	 * The identity of the request.
	 * @return the request
	 */
	public String request() {
		return this.acquired.request();
	}

	/**
	 * The fencing token.
	 * @return the token
	 */
	public long token() {
		return this.acquired.token();
	}

	/** The holder is about to enter the lease again: it asks, and is answered at once. */
	public void reentering() {
		record(Op.ACQUIRE, Phase.INVOKE);
	}

	/**
	 * The holder has entered the lease again.
	 * @param token the token it was given
	 * @param validUntil until when the lease is valid now
	 */
	public void reentered(long token, long validUntil) {
		this.recorder.append(this.acquired.lease(request(), token).validUntil(validUntil).as(Op.ACQUIRE, Phase.OK));
	}

	/**
	 * The holder is about to ask for the same lock in another mode, to have both.
	 * @param mode the other mode
	 * @return the attempt, of the same request
	 */
	public Attempt besides(Event.Mode mode) {
		return new Attempt(this.recorder, this.acquired.lease(request(), 0).mode(mode, 1).as(Op.ACQUIRE, Phase.INVOKE));
	}

	/** A guarded section begins. */
	public void enter() {
		record(Op.ENTER, Phase.OK);
	}

	/** A guarded section has ended. */
	public void exit() {
		record(Op.EXIT, Phase.OK);
	}

	/** The lease is about to be renewed. */
	public void renewing() {
		record(Op.RENEW, Phase.INVOKE);
	}

	/**
	 * The lease is longer than it was.
	 * @param validUntil until when it is valid now, see {@link Recorder#validUntil}
	 */
	public void renewed(long validUntil) {
		this.recorder.append(this.acquired.validUntil(validUntil).as(Op.RENEW, Phase.OK));
	}

	/** The store says that the lease is not there to be renewed. */
	public void notRenewed() {
		record(Op.RENEW, Phase.FAIL);
	}

	/**
	 * It is not known whether the lease is longer.
	 * @param error the error that happened
	 */
	public void renewalUnknown(String error) {
		this.recorder.append(this.acquired.result("", error).as(Op.RENEW, Phase.INFO));
	}

	/**
	 * The holder was notified that it has lost the lock.
	 * @param reason why
	 */
	public void lost(String reason) {
		this.recorder.append(this.acquired.result(reason, "").as(Op.LOST, Phase.OK));
	}

	/**
	 * The holder was told that it has lost the lock, or another one of those that it has
	 * by the same lease.
	 * @param lease the lease, which says why
	 */
	public void lost(Lease lease) {
		try {
			lease.checkHeld();
			lost("told");
		}
		catch (LockLostException ex) {
			lost(ex.getReason().name() + ((lease.keys().size() > 1) ? OF_SEVERAL : ""));
		}
	}

	/**
	 * A register of the witness is about to be written.
	 * @param prev the value that was read
	 * @param val the value to write
	 */
	public void writing(long prev, long val) {
		this.recorder.append(this.acquired.values(prev, val).as(Op.WRITE, Phase.INVOKE));
	}

	/**
	 * The witness has answered a write.
	 * @param prev the value that was read
	 * @param val the value to write
	 * @param accepted whether it was accepted
	 */
	public void written(long prev, long val, boolean accepted) {
		this.recorder.append(this.acquired.values(prev, val).as(Op.WRITE, accepted ? Phase.OK : Phase.FAIL));
	}

	/** The lock is about to be released. */
	public void releasing() {
		record(Op.RELEASE, Phase.INVOKE);
	}

	/** The lock was released. */
	public void released() {
		record(Op.RELEASE, Phase.OK);
	}

	/**
	 * The lock was released, but is kept.
	 * @param until how long at most
	 */
	public void releasedButKept(long until) {
		this.recorder.append(this.acquired.validUntil(until).as(Op.RELEASE, Phase.OK));
	}

	/**
	 * The release has found that the lock was lost before.
	 * @param outcome why
	 */
	public void notReleased(String outcome) {
		this.recorder.append(this.acquired.result(outcome, "").as(Op.RELEASE, Phase.FAIL));
	}

	/**
	 * It is not known whether the lock was released.
	 * @param error the error that happened
	 */
	public void releaseUnknown(String error) {
		this.recorder.append(this.acquired.result("", error).as(Op.RELEASE, Phase.INFO));
	}

	private void record(Op op, Phase phase) {
		this.recorder.append(this.acquired.as(op, phase));
	}

}

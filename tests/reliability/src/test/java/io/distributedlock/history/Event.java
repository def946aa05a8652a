package io.distributedlock.history;

/**
 * A line of a history. Texts that do not apply are empty, numbers zero.
 *
 * @param t when, in nanoseconds of {@link System#nanoTime()}, which all processes of one
 * host share
 * @param proc the process; a restarted one has a new name
 * @param thread the thread; of a {@link Op#NEMESIS} the process it hits, or {@link #ALL}
 * @param key the lock; of a {@link Op#NEMESIS} also {@link #ALL}
 * @param op the operation
 * @param phase how far it is
 * @param request the call that acquires, the same for all operations on the locks it got
 * @param token the fencing token, known from the acquisition on
 * @param mode the kind of lock
 * @param permits how many permits of a semaphore
 * @param validUntil until when the client believes, a {@code t}; of a release with
 * answer, until when the lock stays taken all the same
 * @param prev the value before a write, as its writer knows it; of the answer that a
 * request is in line, when it asked, or zero
 * @param val the value written; of the acquisition of a semaphore, its limit; of a
 * {@link Op#TURN}, its last token
 * @param outcome the answer; of a {@link Op#NEMESIS} its {@link NemesisKind}
 * @param error the failure; of a {@link Op#NEMESIS} a description
 */
public record Event(long t, String proc, String thread, String key, Op op, Phase phase, String request, long token,
		Mode mode, int permits, long validUntil, long prev, long val, String outcome, String error) {

	/** The name for every key, or every process. */
	public static final String ALL = "*";

	/**
	 * The outcome of an acquisition that is another process' too, from whose image this
	 * one was restored.
	 */
	public static final String CLONED = "cloned";

	/** The outcome of a request that has entered a lock which its caller holds. */
	public static final String ENTERED_AGAIN = "entered again";

	/** The outcome of a write that no token guards. */
	public static final String UNFENCED = "unfenced";

	/**
	 * An event with nothing else known.
	 * @param op the operation
	 * @param phase how far it is
	 * @param key the lock
	 * @return an event at the time zero
	 */
	public static Event of(Op op, Phase phase, String key) {
		return new Event(0, "", "", key, op, phase, "", 0, Mode.X, 1, 0, 0, 0, "", "");
	}

	/**
	 * The same event at another time.
	 * @param t when
	 * @return a new event
	 */
	public Event at(long t) {
		return new Event(t, this.proc, this.thread, this.key, this.op, this.phase, this.request, this.token, this.mode,
				this.permits, this.validUntil, this.prev, this.val, this.outcome, this.error);
	}

	/**
	 * The same event somewhere else.
	 * @param proc the process
	 * @param thread the thread
	 * @return a new event
	 */
	public Event by(String proc, String thread) {
		return new Event(this.t, proc, thread, this.key, this.op, this.phase, this.request, this.token, this.mode,
				this.permits, this.validUntil, this.prev, this.val, this.outcome, this.error);
	}

	/**
	 * The same event of another lease.
	 * @param request the request
	 * @param token the token, or zero where it is not known yet
	 * @return a new event
	 */
	public Event lease(String request, long token) {
		return new Event(this.t, this.proc, this.thread, this.key, this.op, this.phase, request, token, this.mode,
				this.permits, this.validUntil, this.prev, this.val, this.outcome, this.error);
	}

	/**
	 * The same event of another kind of lock.
	 * @param mode the kind
	 * @param permits how many permits
	 * @return a new event
	 */
	public Event mode(Mode mode, int permits) {
		return new Event(this.t, this.proc, this.thread, this.key, this.op, this.phase, this.request, this.token, mode,
				permits, this.validUntil, this.prev, this.val, this.outcome, this.error);
	}

	/**
	 * The same event with another end of the belief.
	 * @param validUntil until when the client believes
	 * @return a new event
	 */
	public Event validUntil(long validUntil) {
		return new Event(this.t, this.proc, this.thread, this.key, this.op, this.phase, this.request, this.token,
				this.mode, this.permits, validUntil, this.prev, this.val, this.outcome, this.error);
	}

	/**
	 * The same event with other values.
	 * @param prev the value before
	 * @param val the value after
	 * @return a new event
	 */
	public Event values(long prev, long val) {
		return new Event(this.t, this.proc, this.thread, this.key, this.op, this.phase, this.request, this.token,
				this.mode, this.permits, this.validUntil, prev, val, this.outcome, this.error);
	}

	/**
	 * The same event with another result.
	 * @param outcome the answer
	 * @param error the failure
	 * @return a new event
	 */
	public Event result(String outcome, String error) {
		return new Event(this.t, this.proc, this.thread, this.key, this.op, this.phase, this.request, this.token,
				this.mode, this.permits, this.validUntil, this.prev, this.val, outcome, error);
	}

	/**
	 * The same event, but with another operation, or further.
	 * @param op the operation
	 * @param phase how far it is
	 * @return a new event
	 */
	public Event as(Op op, Phase phase) {
		return new Event(this.t, this.proc, this.thread, this.key, op, phase, this.request, this.token, this.mode,
				this.permits, this.validUntil, this.prev, this.val, this.outcome, this.error);
	}

	/** The time of the request that this event answers, if it is known. */
	long sent() {
		return (this.prev != 0) ? this.prev : this.t;
	}

	boolean is(Op op, Phase phase) {
		return this.op == op && this.phase == phase;
	}

	@Override
	public String toString() {
		return EventLine.write(this);
	}

	/** An operation. */
	public enum Op {

		/** A lock is requested. */
		ACQUIRE,

		/** A lock is released. */
		RELEASE,

		/** A lease is renewed. */
		RENEW,

		/** A guarded section begins; nested ones count. */
		ENTER,

		/** A guarded section ends. */
		EXIT,

		/** A register of the witness is written. */
		WRITE,

		/** A holder is notified that it has lost the lock. */
		LOST,

		/** A request whose outcome is not known is abandoned. */
		ABANDON,

		/** A fault begins or ends. */
		NEMESIS,

		/**
		 * A request, named as the store knows it, is about to be made, is certainly in
		 * line until {@code validUntil}, or ({@link Phase#FAIL}) is about to leave, or
		 * ({@link Phase#INFO}) has ended, but its instance waits on until then. The
		 * outcome is the node whose line it is, where independent nodes have their own.
		 */
		QUEUE,

		/**
		 * A request, named as the store knows it, was given the lock by the store, or by
		 * the node that the outcome names.
		 */
		SERVE,

		/**
		 * A process asks for a lock, and for tokens by which its callers may hand the
		 * lock on among themselves; with the answer, the token of the first of them and
		 * the last one.
		 */
		TURN

	}

	/** How far an operation is. */
	public enum Phase {

		/** About to be called. A fault begins. */
		INVOKE,

		/** Done. A fault has ended. */
		OK,

		/** Certainly not done. */
		FAIL,

		/** Maybe done. */
		INFO

	}

	/** The kind of a lock. */
	public enum Mode {

		/** Exclusive; the writer of a read/write lock. */
		X,

		/** Shared by readers. */
		R,

		/** A semaphore. */
		S,

		/** Exclusive, and first come first served. */
		F;

		/**
		 * Return whether there is one holder at a time.
		 * @return true for all but those that are shared
		 */
		public boolean isExclusive() {
			return this == X || this == F;
		}

	}

}

package io.distributedlock.reactive;

/**
 * The states of a {@link SubscriptionLease}. Two parties use the lease: the body, and the
 * transaction that was open when the lock was taken, if there was one. The event that
 * leads to {@link #RELEASED} triggers the release. There is only one such event, since
 * none leads out of that state. An event that a state does not name came too late and
 * changes nothing.
 */
enum LeaseState {

	/** The subscription waits for its lock, or its body runs. No transaction keeps it. */
	RUNNING,

	/** The body runs, in a transaction that keeps the lease until it has completed. */
	RUNNING_KEPT,

	/** The body has ended, but code of it may still run. */
	ENDING,

	/** The body has ended, but code of it may still run, in a transaction. */
	ENDING_KEPT,

	/** No code of the body runs any more. The transaction keeps the lease. */
	KEPT,

	/** The lease was released, or the request abandoned. */
	RELEASED;

	LeaseState after(Event event) {
		return switch (this) {
			case RUNNING -> switch (event) {
				case KEEP -> RUNNING_KEPT;
				case BODY_ENDED -> ENDING;
				default -> this;
			};
			case RUNNING_KEPT -> switch (event) {
				case BODY_ENDED -> ENDING_KEPT;
				case TRANSACTION_ENDED -> RUNNING;
				default -> this;
			};
			case ENDING -> (event == Event.BODY_LEFT) ? RELEASED : this;
			case ENDING_KEPT -> switch (event) {
				case BODY_LEFT -> KEPT;
				case TRANSACTION_ENDED -> ENDING;
				default -> this;
			};
			case KEPT -> (event == Event.TRANSACTION_ENDED) ? RELEASED : this;
			case RELEASED -> this;
		};
	}

	boolean hasBodyEnded() {
		return this != RUNNING && this != RUNNING_KEPT;
	}

	/** The events of a lease, on any thread. */
	enum Event {

		/** A transaction keeps the lease from here on. */
		KEEP,

		/** The body has completed or failed, or its subscription was cancelled. */
		BODY_ENDED,

		/** No code of the body runs any more. */
		BODY_LEFT,

		/** The transaction has committed or rolled back. */
		TRANSACTION_ENDED

	}

}

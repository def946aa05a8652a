package io.distributedlock;

/**
 * The reason why a lease ended before its holder released it.
 *
 * @since 0.1.0
 */
public enum LossReason {

	/** The lease ran out before the store had confirmed a renewal. */
	EXPIRED("its lease ran out before a renewal was confirmed"),

	/** The ttl has passed, and the lease was not to be renewed. */
	NOT_RENEWED("it was held longer than its ttl, and is not renewed (renew = OFF)"),

	/**
	 * The store reports the lock as free or as that of another holder, which can be
	 * another process that was restored from the same image.
	 */
	NOT_OWNER("the store no longer has this holder as the owner"),

	/** The lease reached {@code maxHold} and was not renewed any more. */
	MAX_HOLD("it was held longer than maxHold and not renewed any more"),

	/** The thread that owned the lease ended without releasing it. */
	OWNER_ENDED("the thread that owned it has ended without releasing it"),

	/** The registry was closed while the holder still ran. */
	SHUTDOWN("the registry was closed while it was held"),

	/**
	 * The machine was suspended or its clock set, and the store has not confirmed yet
	 * that the lock is held. The lease is in doubt rather than lost: only
	 * {@link Lease#checkHeld()} reports this reason.
	 */
	UNCONFIRMED("a clock has jumped, as after a suspension, and the store has not confirmed the lock since"),

	/** The application was stopped and started again, maybe from an image of it. */
	RESTORED("the application was stopped while it was held, and may have been restored from an image");

	private final String description;

	LossReason(String description) {
		this.description = description;
	}

	/**
	 * A half sentence for messages.
	 * @return the description, never empty
	 */
	public String description() {
		return this.description;
	}

}

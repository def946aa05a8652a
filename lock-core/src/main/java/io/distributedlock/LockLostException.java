package io.distributedlock;

import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/**
 * A lease ended before its holder released it, so another holder may have run meanwhile.
 *
 * @since 0.1.0
 */
public class LockLostException extends LockException {

	private final String name;

	private final String key;

	private final LossReason reason;

	private final boolean bodyCompleted;

	/**
	 * Create the exception.
	 * @param name the namespace of the key, maybe empty
	 * @param key the key whose lease was lost
	 * @param reason the reason for the loss
	 * @param bodyCompleted {@code true} if the guarded body had completed when the loss
	 * was noticed
	 */
	public LockLostException(String name, String key, LossReason reason, boolean bodyCompleted) {
		this(name, key, reason, bodyCompleted, null);
	}

	/**
	 * Create the exception.
	 * @param name the namespace of the key, maybe empty
	 * @param key the key whose lease was lost
	 * @param reason the reason for the loss
	 * @param bodyCompleted {@code true} if the guarded body had completed when the loss
	 * was noticed
	 * @param cause the failure of the last renewal, if that caused the loss
	 */
	public LockLostException(String name, String key, LossReason reason, boolean bodyCompleted,
			@Nullable Throwable cause) {
		this(name, key, reason, bodyCompleted, cause,
				(bodyCompleted ? "The guarded code had ended: check its writes."
						: "The guarded code had not completed, or was rolled back.")
						+ " Guard the protected resource with the fencing token");
	}

	private LockLostException(String name, String key, LossReason reason, boolean bodyCompleted,
			@Nullable Throwable cause, String consequence) {
		super("Lock '%s' was lost: %s%s. %s".formatted(DisplayText.lock(name, key), reason.description(),
				(cause != null) ? " (the last one failed: " + cause.getMessage() + ')' : "", consequence), cause);
		this.name = name;
		this.key = key;
		this.reason = reason;
		this.bodyCompleted = bodyCompleted;
	}

	/**
	 * Create the exception for a transaction that must not commit.
	 * @param name the namespace of the key, maybe empty
	 * @param key the key whose lease was lost
	 * @param reason the reason for the loss
	 * @param cause the failure of the last renewal, if that caused the loss
	 * @return the exception
	 */
	public static LockLostException beforeCommit(String name, String key, LossReason reason,
			@Nullable Throwable cause) {
		return new LockLostException(name, key, reason, false, cause,
				"A transaction that ends with this exception writes nothing. "
						+ "Guard what was done outside of it with the fencing token");
	}

	/**
	 * The namespace of the key.
	 * @return the name, maybe empty
	 */
	public String getName() {
		return this.name;
	}

	/**
	 * The key whose lease was lost.
	 * @return the key as the caller wrote it
	 */
	public String getKey() {
		return this.key;
	}

	/**
	 * The reason for the loss of the lease.
	 * @return the reason
	 */
	public LossReason getReason() {
		return this.reason;
	}

	/**
	 * Return whether the guarded body had completed when the loss was reported to the
	 * caller.
	 * @return {@code true} if the work of the body was done
	 */
	public boolean isBodyCompleted() {
		return this.bodyCompleted;
	}

}

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
		super("Lock '%s' was lost: %s%s. %s Guard the protected resource with the fencing token".formatted(
				DisplayText.lock(name, key), reason.description(),
				(cause != null) ? " (the last one failed: " + cause.getMessage() + ')' : "",
				bodyCompleted ? "The guarded code had ended: check its writes."
						: "The guarded code had not completed, or was rolled back."),
				cause);
		this.name = name;
		this.key = key;
		this.reason = reason;
		this.bodyCompleted = bodyCompleted;
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

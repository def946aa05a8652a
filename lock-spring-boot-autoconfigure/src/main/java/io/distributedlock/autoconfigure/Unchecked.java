package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;

import io.distributedlock.LockStoreException;
import io.distributedlock.autoconfigure.diagnostics.DurationText;
import io.distributedlock.redis.UnsuitableServerException;

/**
 * Why it is not known yet whether a server lets locks work.
 *
 * @param reason what was thrown
 */
record Unchecked(Throwable reason) {

	/** As servers begin an error, and not what ciphers and certificates do. */
	private static final Pattern ERROR = Pattern.compile("(?!PKIX|SSL|TLS)[A-Z]{3,} .*", Pattern.DOTALL);

	/** Whether the server said something. */
	boolean isAnswered() {
		for (Throwable cause = this.reason; cause != null; cause = cause.getCause()) {
			String message = cause.getMessage();
			if (message != null && ERROR.matcher(message).matches()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Describe it.
	 * @param server which server
	 * @param patience how long it was waited for
	 * @param tls whether it is asked by TLS
	 * @return a sentence without its full stop
	 */
	String describe(String server, Duration patience, boolean tls) {
		if (this.reason instanceof UnsuitableServerException unsuitable) {
			return String.valueOf(unsuitable.getMessage());
		}
		if (this.reason instanceof TimeoutException) {
			// Without TLS, a server takes its first bytes for a command and waits on.
			return "%s: no answer within %s".formatted(server, DurationText.of(patience))
					+ (tls ? " (TLS where the server has none?)" : "");
		}
		String said = (this.reason instanceof LockStoreException failure) ? String.valueOf(failure.getMessage())
				: this.reason.toString();
		return server + (isAnswered() ? " answered with an error (" : " does not answer (") + said + ")";
	}

}

package io.distributedlock.text;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The log of a class of the library. Each message is written as {@link DisplayText}, so
 * no key, name or answer of a server can write a line of its own. Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockLog {

	private final Logger log;

	private LockLog(Logger log) {
		this.log = log;
	}

	/**
	 * The log of a class.
	 * @param type the class, whose name is on each line
	 * @return its log
	 */
	public static LockLog of(Class<?> type) {
		return new LockLog(LoggerFactory.getLogger(type));
	}

	/**
	 * Return whether debug messages are written.
	 * @return {@code true} if a message is worth making
	 */
	public boolean isDebugEnabled() {
		return this.log.isDebugEnabled();
	}

	/**
	 * Write a trace message with a failure.
	 * @param message the message
	 * @param failure the failure, written with its stack trace
	 */
	public void trace(String message, @Nullable Throwable failure) {
		if (this.log.isTraceEnabled()) {
			this.log.trace(DisplayText.of(message).toString(), failure);
		}
	}

	/**
	 * Write a debug message.
	 * @param message the message
	 */
	public void debug(String message) {
		debug(message, null);
	}

	/**
	 * Write a debug message with a failure.
	 * @param message the message
	 * @param failure the failure, written with its stack trace
	 */
	public void debug(String message, @Nullable Throwable failure) {
		if (this.log.isDebugEnabled()) {
			this.log.debug(DisplayText.of(message).toString(), failure);
		}
	}

	/**
	 * Write an information message.
	 * @param message the message
	 */
	public void info(String message) {
		if (this.log.isInfoEnabled()) {
			this.log.info(DisplayText.of(message).toString());
		}
	}

	/**
	 * Write a warning.
	 * @param message the message
	 */
	public void warn(String message) {
		warn(message, null);
	}

	/**
	 * Write a warning with a failure.
	 * @param message the message
	 * @param failure the failure, written with its stack trace
	 */
	public void warn(String message, @Nullable Throwable failure) {
		if (this.log.isWarnEnabled()) {
			this.log.warn(DisplayText.of(message).toString(), failure);
		}
	}

	/**
	 * Write an error with a failure.
	 * @param message the message
	 * @param failure the failure, written with its stack trace
	 */
	public void error(String message, @Nullable Throwable failure) {
		if (this.log.isErrorEnabled()) {
			this.log.error(DisplayText.of(message).toString(), failure);
		}
	}

}

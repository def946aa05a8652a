package io.distributedlock.engine.internal.report;

import java.util.Map;
import java.util.function.Supplier;

import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.store.LockKey;
import io.distributedlock.text.LogFields;

/**
 * A line of the log about a lock. Its fields are in the MDC while it is written.
 *
 * @param name the name of the lock, maybe empty
 * @param token the fencing token
 * @param cause the cause
 * @param text the text, made when it is needed
 */
public record LogLine(String name, long token, String cause, Supplier<String> text) {

	public static LogLine of(Grant grant, String cause, Supplier<String> text) {
		LockKey first = grant.keys().get(0);
		return new LogLine(first.name(), grant.token(), cause, text);
	}

	/** Run a call of the log while the fields of this line are in the MDC. */
	public void write(Runnable log) {
		LogFields.during(
				Map.of("lock.name", this.name, "lock.token", String.valueOf(this.token), "lock.cause", this.cause),
				log);
	}

}

package io.distributedlock.observation;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.text.DisplayText;
import io.distributedlock.text.LockLog;

/**
 * A limit for the names of locks in meters and spans: names that are made at run time
 * would make endless meters. Thread-safe.
 */
final class NameLimit {

	private static final LockLog logger = LockLog.of(NameLimit.class);

	private final int most;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Create a limit.
	 * @param most the number of names that are told
	 */
	NameLimit(int most) {
		this.most = most;
	}

	/**
	 * Return the name or, in excess of the limit,
	 * {@value DefaultLockObservationConvention#OTHER}. The first such name is logged.
	 */
	String limited(String name) {
		if (this.names.contains(name) || isAdmitted(name)) {
			return name;
		}
		if (this.warned.compareAndSet(false, true)) {
			logger.warn(("More than %d names of locks are in use: meters and spans have the further ones as '%s', the "
					+ "first of them is '%s'. Put into the key what differs from call to call, or raise the limit with "
					+ "a bean new DefaultLockObservationConvention(includeKey, maxNames)")
				.formatted(this.most, DefaultLockObservationConvention.OTHER, DisplayText.value(name)));
		}
		return DefaultLockObservationConvention.OTHER;
	}

	private synchronized boolean isAdmitted(String name) {
		return this.names.contains(name) || (this.names.size() < this.most && this.names.add(name));
	}

}

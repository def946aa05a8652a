package io.distributedlock.observation;

import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.observation.LockObservation.HighCardinality;
import io.distributedlock.observation.LockObservation.LowCardinality;
import io.distributedlock.text.DisplayText;
import io.distributedlock.text.LockLog;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * A convention. Meters and spans have the name and mode of the lock and the outcome.
 * Spans also have the token and, on request, the keys. The number of names is limited:
 * further names become {@value #OTHER}, with one warning. Thread-safe.
 *
 * @since 0.1.0
 */
public class DefaultLockObservationConvention implements LockObservationConvention {

	/** The number of lock names that meters and spans have at most by default. */
	public static final int DEFAULT_MAX_NAMES = 100;

	/** Stands for the names in excess of the limit. */
	public static final String OTHER = "other";

	private static final LockLog logger = LockLog.of(DefaultLockObservationConvention.class);

	private final boolean includeKey;

	private final int maxNames;

	private final Set<String> names = ConcurrentHashMap.newKeySet();

	private final AtomicBoolean warned = new AtomicBoolean();

	/** Create a convention without the keys. */
	public DefaultLockObservationConvention() {
		this(false);
	}

	/**
	 * Create a convention.
	 * @param includeKey {@code true} if spans have the keys, which may be confidential
	 */
	public DefaultLockObservationConvention(boolean includeKey) {
		this(includeKey, DEFAULT_MAX_NAMES);
	}

	/**
	 * Create a convention.
	 * @param includeKey {@code true} if spans have the keys, which may be confidential
	 * @param maxNames the limit of lock names in meters and spans; each name makes
	 * several meters
	 */
	public DefaultLockObservationConvention(boolean includeKey, int maxNames) {
		this.includeKey = includeKey;
		this.maxNames = maxNames;
	}

	boolean includesKey() {
		return this.includeKey;
	}

	@Override
	public String getContextualName(LockObservationContext context) {
		String phase = context.getObservation().name().toLowerCase(Locale.ROOT) + " lock";
		return context.getLockName().isEmpty() ? phase : phase + " " + limited(context.getLockName());
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
		String name = context.getLockName();
		String outcome = context.getOutcome();
		KeyValues values = KeyValues.of(
				LowCardinality.NAME.withValue(name.isEmpty() ? KeyValue.NONE_VALUE : limited(name)),
				LowCardinality.MODE.withValue(context.getMode().name().toLowerCase(Locale.ROOT)));
		return (outcome != null) ? values.and(LowCardinality.OUTCOME.withValue(outcome)) : values;
	}

	/** Limit the names: those that are made at run time would make endless meters. */
	private String limited(String name) {
		if (this.names.contains(name) || isAdmitted(name)) {
			return name;
		}
		if (this.warned.compareAndSet(false, true)) {
			logger.warn(("More than %d names of locks are in use: meters and spans have the further ones as '%s', the "
					+ "first of them is '%s'. Put into the key what differs from call to call, or raise the limit with "
					+ "a bean new DefaultLockObservationConvention(includeKey, maxNames)")
				.formatted(this.maxNames, OTHER, DisplayText.value(name)));
		}
		return OTHER;
	}

	private synchronized boolean isAdmitted(String name) {
		return this.names.contains(name) || (this.names.size() < this.maxNames && this.names.add(name));
	}

	@Override
	public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
		Long token = context.getToken();
		KeyValues values = (token != null) ? KeyValues.of(HighCardinality.TOKEN.withValue(token.toString()))
				: KeyValues.empty();
		return this.includeKey ? values.and(HighCardinality.KEY.withValue(String.join(", ", context.getKeys())))
				: values;
	}

}

package io.distributedlock.observation;

import java.util.Locale;

import io.distributedlock.observation.LockObservation.HighCardinality;
import io.distributedlock.observation.LockObservation.LowCardinality;
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

	private final boolean includeKey;

	private final NameLimit names;

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
		this.names = new NameLimit(maxNames);
	}

	boolean includesKey() {
		return this.includeKey;
	}

	@Override
	public String getContextualName(LockObservationContext context) {
		String phase = context.getObservation().name().toLowerCase(Locale.ROOT) + " lock";
		return context.getLockName().isEmpty() ? phase : phase + " " + this.names.limited(context.getLockName());
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
		String name = context.getLockName();
		String outcome = context.getOutcome();
		KeyValues values = KeyValues.of(
				LowCardinality.NAME.withValue(name.isEmpty() ? KeyValue.NONE_VALUE : this.names.limited(name)),
				LowCardinality.MODE.withValue(context.getMode().name().toLowerCase(Locale.ROOT)));
		return (outcome != null) ? values.and(LowCardinality.OUTCOME.withValue(outcome)) : values;
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

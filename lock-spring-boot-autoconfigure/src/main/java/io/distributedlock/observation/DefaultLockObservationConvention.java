package io.distributedlock.observation;

import java.util.Locale;

import io.distributedlock.observation.LockObservation.HighCardinality;
import io.distributedlock.observation.LockObservation.LowCardinality;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/**
 * The name and the mode of the lock and the outcome for meters and spans, the token for
 * spans, and the keys for spans if that is asked for.
 *
 * @since 0.1.0
 */
public class DefaultLockObservationConvention implements LockObservationConvention {

	private final boolean includeKey;

	/** Create a convention that keeps the keys back. */
	public DefaultLockObservationConvention() {
		this(false);
	}

	/**
	 * Create a convention.
	 * @param includeKey whether spans have the keys, which may be confidential
	 */
	public DefaultLockObservationConvention(boolean includeKey) {
		this.includeKey = includeKey;
	}

	boolean includesKey() {
		return this.includeKey;
	}

	@Override
	public String getContextualName(LockObservationContext context) {
		String phase = context.getObservation().name().toLowerCase(Locale.ROOT) + " lock";
		return context.getLockName().isEmpty() ? phase : phase + " " + context.getLockName();
	}

	@Override
	public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
		String name = context.getLockName();
		String outcome = context.getOutcome();
		KeyValues values = KeyValues.of(LowCardinality.NAME.withValue(name.isEmpty() ? KeyValue.NONE_VALUE : name),
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

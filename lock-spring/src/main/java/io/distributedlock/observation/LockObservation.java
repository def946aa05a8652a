package io.distributedlock.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * The observations of locks. Each is a timer, where observations make meters, and a span,
 * where they make traces.
 *
 * @since 0.1.0
 */
public enum LockObservation implements ObservationDocumentation {

	/** From the request of a lock to its end, with or without the lock. */
	WAIT("distributed.lock.wait", "A caller waits for a lock, until it has it or gives up"),

	/**
	 * From the acquisition to the loss, or to the release with its answer or time-out.
	 */
	HOLD("distributed.lock.hold", "A lock is held, until its release is answered or it is lost");

	private final String name;

	private final String description;

	LockObservation(String name, String description) {
		this.name = name;
		this.description = description;
	}

	@Override
	public String getName() {
		return this.name;
	}

	/**
	 * The description of the observation.
	 * @return a text for documentation
	 */
	public String getDescription() {
		return this.description;
	}

	/** The convention for both observations. Their names do not depend on it. */
	@Override
	public Class<? extends ObservationConvention<LockObservationContext>> getDefaultConvention() {
		return DefaultLockObservationConvention.class;
	}

	@Override
	public KeyName[] getLowCardinalityKeyNames() {
		return LowCardinality.values();
	}

	@Override
	public KeyName[] getHighCardinalityKeyNames() {
		return HighCardinality.values();
	}

	/** Key names that meters and spans have. */
	public enum LowCardinality implements KeyName {

		/** The name of the lock, {@code none} if it has none. */
		NAME("lock.name", "Name of the lock, `none` without one"),

		/** The mode of the lock. */
		MODE("lock.mode", "`exclusive`, `fair`, `read` or `semaphore`"),

		/** The outcome, absent before the end. */
		OUTCOME("lock.outcome", "How it has ended, see below");

		private final String key;

		private final String description;

		LowCardinality(String key, String description) {
			this.key = key;
			this.description = description;
		}

		@Override
		public String asString() {
			return this.key;
		}

		/**
		 * The description of the key.
		 * @return a text for documentation
		 */
		public String getDescription() {
			return this.description;
		}

	}

	/** Key names that only spans have. */
	public enum HighCardinality implements KeyName {

		/** The fencing token, if there is one. */
		TOKEN("lock.token", "Fencing token, once the lock is held"),

		/** The keys of the lock, if the convention includes them. */
		KEY("lock.key", "Keys, with `distributed-lock.observation.include-key=true` only");

		private final String key;

		private final String description;

		HighCardinality(String key, String description) {
			this.key = key;
			this.description = description;
		}

		@Override
		public String asString() {
			return this.key;
		}

		/**
		 * The description of the key.
		 * @return a text for documentation
		 */
		public String getDescription() {
			return this.description;
		}

	}

}

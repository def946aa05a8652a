package io.distributedlock.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import org.jspecify.annotations.Nullable;

/**
 * The meters of locks besides those of the observations.
 *
 * @since 0.1.0
 */
public enum LockMeter implements MeterDocumentation {

	/** {@link io.distributedlock.event.LockStatistics#held()}. */
	HELD("distributed.lock.held", Meter.Type.GAUGE, null, "Locks that this instance holds"),

	/** {@link io.distributedlock.event.LockStatistics#waiting()}. */
	WAITING("distributed.lock.waiting", Meter.Type.GAUGE, null, "Callers of this instance that wait for a lock"),

	/** {@link io.distributedlock.event.LockStatistics#oldestWait()}. */
	OLDEST_WAIT("distributed.lock.waiting.oldest", Meter.Type.GAUGE, "seconds",
			"How long the caller has waited that has waited longest, 0 if none waits"),

	/** {@link io.distributedlock.event.LockStatistics#lost}. */
	LOST("distributed.lock.lost", Meter.Type.COUNTER, null, "Locks that were lost before their release", Tag.REASON),

	/** {@link io.distributedlock.event.LockStatistics#endangered()}. */
	ENDANGERED("distributed.lock.endangered", Meter.Type.COUNTER, null,
			"Locks with a failed renewal and less than half of the lease left"),

	/** {@link io.distributedlock.event.LockStatistics#refusedCommits()}. */
	REFUSED_COMMITS("distributed.lock.commits.refused", Meter.Type.COUNTER, null,
			"Transactions that were rolled back because of a lock"),

	/** {@link io.distributedlock.event.LockStatistics#leaked()}. */
	LEAKED("distributed.lock.leaked", Meter.Type.COUNTER, null,
			"Leases that the application has forgotten without closing them"),

	/**
	 * {@link io.distributedlock.event.LockStatistics#renewals()} and
	 * {@link io.distributedlock.event.LockStatistics#failedRenewals()}.
	 */
	RENEWALS("distributed.lock.renewals", Meter.Type.COUNTER, null, "Renewals of leases", Tag.OUTCOME),

	/** {@link io.distributedlock.event.LockStatistics#handOffs}. */
	HAND_OFFS("distributed.lock.handoffs", Meter.Type.COUNTER, null,
			"Locks that a holder handed on to a caller of this instance", Tag.FROM),

	/** {@link io.distributedlock.event.LockStatistics#storeErrors}. */
	STORE_ERRORS("distributed.lock.store.errors", Meter.Type.COUNTER, null,
			"Commands that the store refused or did not answer in time", Tag.KIND),

	/** {@link io.distributedlock.event.LockStatistics#sinceLastAnswer()}. */
	LAST_ANSWER("distributed.lock.store.answer.age", Meter.Type.GAUGE, "seconds",
			"Time since a node of the store has answered last; grows also while it is asked nothing", Tag.NODE),

	/** {@link io.distributedlock.event.LockStatistics#droppedEvents()}. */
	DROPPED_EVENTS("distributed.lock.events.dropped", Meter.Type.COUNTER, null,
			"Events that were dropped because listeners were too slow"),

	/** {@link io.distributedlock.leader.LeaderElection#isLeader()}. */
	LEADER("distributed.lock.leader", Meter.Type.GAUGE, null, "1 if this instance leads the role, else 0", Tag.ROLE);

	private final String name;

	private final Meter.Type type;

	private final @Nullable String baseUnit;

	private final String description;

	private final Tag[] tags;

	LockMeter(String name, Meter.Type type, @Nullable String baseUnit, String description, Tag... tags) {
		this.name = name;
		this.type = type;
		this.baseUnit = baseUnit;
		this.description = description;
		this.tags = tags;
	}

	@Override
	public String getName() {
		return this.name;
	}

	@Override
	public Meter.Type getType() {
		return this.type;
	}

	@Override
	@SuppressWarnings("NullAway") // without the annotation in older versions
	public @Nullable String getBaseUnit() {
		return this.baseUnit;
	}

	/**
	 * The description of the meter.
	 * @return a text for documentation and back ends
	 */
	public String getDescription() {
		return this.description;
	}

	@Override
	public KeyName[] getKeyNames() {
		return this.tags.clone();
	}

	@Override
	public KeyName[] getAdditionalKeyNames() {
		return (this == LEADER) ? new KeyName[0] : new KeyName[] { Tag.REGISTRY };
	}

	/** The tags of meters. */
	public enum Tag implements KeyName {

		/** The bean name of the lock registry. */
		REGISTRY("registry",
				"Bean name of the lock registry; `distributed.lock.leader` and the timers of waits and holds do not have it"),

		/** The reason of a loss. */
		REASON("reason", "A `LossReason` in lower case, such as `expired` or `not_owner`"),

		/** The outcome of a renewal. */
		OUTCOME("outcome", "`confirmed` or `failed`"),

		/** The instance whose holder handed the lock off. */
		FROM("from", "`this_instance` or `other_instance`"),

		/** The kind of failure. */
		KIND("kind", "`unavailable` or `misconfigured`"),

		/** The node of the store. */
		NODE("node", "Address of the Redis node"),

		/** The role of an election. */
		ROLE("role", "Role of an [election](leader-election.md)");

		private final String key;

		private final String description;

		Tag(String key, String description) {
			this.key = key;
			this.description = description;
		}

		@Override
		public String asString() {
			return this.key;
		}

		/**
		 * The description of the tag.
		 * @return a text for documentation
		 */
		public String getDescription() {
			return this.description;
		}

	}

}

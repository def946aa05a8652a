package io.distributedlock.engine;

import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.event.AcquiredFrom;

/**
 * The counters of an instance. The acquisition of a free lock changes none of them.
 * Thread-safe.
 */
final class Counters {

	final LongAdder renewals = new LongAdder();

	final LongAdder failedRenewals = new LongAdder();

	final LongAdder endangered = new LongAdder();

	final LongAdder leaked = new LongAdder();

	private final LongAdder[] handOffs = adders(AcquiredFrom.values());

	private final LongAdder[] losses = adders(LossReason.values());

	private final LongAdder[] storeErrors = adders(LockStoreException.Kind.values());

	private static LongAdder[] adders(Enum<?>[] values) {
		return Stream.of(values).map((value) -> new LongAdder()).toArray(LongAdder[]::new);
	}

	LongAdder handOffs(AcquiredFrom from) {
		return this.handOffs[from.ordinal()];
	}

	LongAdder losses(LossReason reason) {
		return this.losses[reason.ordinal()];
	}

	LongAdder storeErrors(LockStoreException.Kind kind) {
		return this.storeErrors[kind.ordinal()];
	}

	/** Count a command that has failed. */
	void failed(LockStoreException failure) {
		storeErrors(failure.getKind()).increment();
	}

}

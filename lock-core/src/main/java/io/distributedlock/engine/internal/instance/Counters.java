package io.distributedlock.engine.internal.instance;

import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Stream;

import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.event.AcquiredFrom;

/**
 * The counters of an instance. The acquisition of a free lock changes none of them.
 * Thread-safe.
 */
public final class Counters {

	public final LongAdder renewals = new LongAdder();

	public final LongAdder failedRenewals = new LongAdder();

	public final LongAdder endangered = new LongAdder();

	public final LongAdder refusedCommits = new LongAdder();

	public final LongAdder leaked = new LongAdder();

	private final LongAdder[] handOffs = adders(AcquiredFrom.values());

	private final LongAdder[] losses = adders(LossReason.values());

	private final LongAdder[] storeErrors = adders(LockStoreException.Kind.values());

	private static LongAdder[] adders(Enum<?>[] values) {
		return Stream.of(values).map((value) -> new LongAdder()).toArray(LongAdder[]::new);
	}

	public LongAdder handOffs(AcquiredFrom from) {
		return this.handOffs[from.ordinal()];
	}

	public LongAdder losses(LossReason reason) {
		return this.losses[reason.ordinal()];
	}

	public LongAdder storeErrors(LockStoreException.Kind kind) {
		return this.storeErrors[kind.ordinal()];
	}

	/** Count a command that has failed. */
	public void failed(LockStoreException failure) {
		storeErrors(failure.getKind()).increment();
	}

}

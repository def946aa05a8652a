package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.List;

import io.distributedlock.state.WakeUp;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;

/**
 * The commands of a {@link io.distributedlock.state.LockTable}, each at a time that the
 * caller names: a table, the real scripts, or a table that is broken on purpose.
 */
interface SimulationScripts {

	/** How long tokens and ended requests are remembered. */
	Duration RETENTION = Duration.ofSeconds(20);

	AcquireOutcome acquire(long micros, AcquireCommand command);

	List<Ownership> renew(long micros, List<RenewCommand> commands);

	Ownership extend(long micros, ExtendCommand command);

	Ownership release(long micros, ReleaseCommand command);

	boolean abandon(long micros, AbandonCommand command);

	boolean raise(long micros, RaiseCommand command);

	/** Set the number of permits; return whether that is possible. */
	boolean setPermits(long micros, LockKey key, int permits);

	/** Remove all data of a lock, as an eviction would. */
	void remove(LockKey key);

	/** Take the wake-ups since the last call, in order. */
	List<WakeUp> takeWakeUps();

}

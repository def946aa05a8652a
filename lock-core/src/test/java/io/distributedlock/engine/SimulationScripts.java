package io.distributedlock.engine;

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
 * What a {@link io.distributedlock.state.LockTable} does, each at a time that the caller
 * names: a table, the real scripts, or a table that is broken on purpose.
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

	/** Take out what is known of a lock, as an eviction would. */
	void remove(LockKey key);

	/** What is to be told since the last call, in order. */
	List<WakeUp> takeWakeUps();

}

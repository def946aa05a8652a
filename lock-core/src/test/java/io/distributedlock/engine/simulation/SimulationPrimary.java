package io.distributedlock.engine.simulation;

import java.util.List;

import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;

/** A server that answers commands of instances as the primary. */
interface SimulationPrimary {

	AcquireOutcome acquire(AcquireCommand command);

	List<Ownership> renew(List<RenewCommand> commands);

	Ownership extend(ExtendCommand command);

	Ownership release(ReleaseCommand command);

	Void abandon(AbandonCommand command);

}

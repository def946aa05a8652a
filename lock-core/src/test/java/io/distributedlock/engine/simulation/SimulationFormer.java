package io.distributedlock.engine.simulation;

import java.util.List;

import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;

/**
 * A primary that was replaced and does not know it yet: it goes on for the instances that
 * have not left it. Its later writes are lost with it.
 */
final class SimulationFormer implements SimulationPrimary {

	private final SimulationWorld world;

	private final SimulationScripts scripts;

	SimulationFormer(SimulationWorld world, SimulationScripts scripts) {
		this.world = world;
		this.scripts = scripts;
	}

	private long micros() {
		return this.world.server().micros();
	}

	@Override
	public AcquireOutcome acquire(AcquireCommand command) {
		AcquireOutcome outcome = this.scripts.acquire(micros(), command);
		done(command, outcome);
		return outcome;
	}

	@Override
	public List<Ownership> renew(List<RenewCommand> commands) {
		List<Ownership> owners = this.scripts.renew(micros(), commands);
		done(commands, owners);
		return owners;
	}

	@Override
	public Ownership extend(ExtendCommand command) {
		Ownership owner = this.scripts.extend(micros(), command);
		done(command, owner);
		return owner;
	}

	@Override
	public Ownership release(ReleaseCommand command) {
		Ownership owner = this.scripts.release(micros(), command);
		done(command, owner);
		return owner;
	}

	@Override
	public Void abandon(AbandonCommand command) {
		boolean owner = this.scripts.abandon(micros(), command);
		done(command, owner);
		return null;
	}

	private void done(Object command, Object answer) {
		this.world.trace(() -> "  (former primary) " + command + " -> " + answer);
		this.world.server().publish(this, this.scripts.takeWakeUps());
	}

}

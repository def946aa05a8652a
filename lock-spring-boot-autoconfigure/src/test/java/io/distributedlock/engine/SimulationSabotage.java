package io.distributedlock.engine;

import java.util.List;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;

/** Scripts with a fault, to see that it is noticed. All others do what they should. */
class SimulationSabotage implements SimulationScripts {

	private final SimulationScripts scripts;

	SimulationSabotage(SimulationScripts scripts) {
		this.scripts = scripts;
	}

	/** An abandoned request is released, but taken when it arrives later. */
	static SimulationScripts forgetsAbandoned(SimulationScripts scripts) {
		return new SimulationSabotage(scripts) {
			@Override
			public boolean abandon(long micros, List<LockKey> keys, RequestId request) {
				return scripts.release(micros, keys, request);
			}
		};
	}

	@Override
	public AcquireOutcome acquire(long micros, AcquireCommand command) {
		return this.scripts.acquire(micros, command);
	}

	@Override
	public List<Boolean> renew(long micros, List<RenewCommand> commands) {
		return this.scripts.renew(micros, commands);
	}

	@Override
	public boolean release(long micros, List<LockKey> keys, RequestId request) {
		return this.scripts.release(micros, keys, request);
	}

	@Override
	public boolean abandon(long micros, List<LockKey> keys, RequestId request) {
		return this.scripts.abandon(micros, keys, request);
	}

	@Override
	public void remove(LockKey key) {
		this.scripts.remove(key);
	}

	@Override
	public List<WakeUp> wakeUps() {
		return this.scripts.wakeUps();
	}

}

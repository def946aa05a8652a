package io.distributedlock.engine.simulation;

import java.util.List;

import io.distributedlock.LockStoreException;
import io.distributedlock.state.LockTable;
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

/** The rules as they are. */
record SimulationTable(LockTable table) implements SimulationScripts {

	SimulationTable() {
		this(new LockTable(RETENTION));
	}

	@Override
	public AcquireOutcome acquire(long micros, AcquireCommand command) {
		return this.table.acquire(micros, command);
	}

	@Override
	public List<Ownership> renew(long micros, List<RenewCommand> commands) {
		return this.table.renew(micros, commands);
	}

	@Override
	public Ownership extend(long micros, ExtendCommand command) {
		return this.table.extend(micros, command);
	}

	@Override
	public Ownership release(long micros, ReleaseCommand command) {
		return this.table.release(micros, command);
	}

	@Override
	public boolean abandon(long micros, AbandonCommand command) {
		return this.table.abandon(micros, command);
	}

	@Override
	public boolean raise(long micros, RaiseCommand command) {
		return this.table.raise(micros, command);
	}

	@Override
	public boolean setPermits(long micros, LockKey key, int permits) {
		try {
			this.table.setPermits(micros, key, permits);
			return true;
		}
		catch (LockStoreException ex) {
			return false;
		}
	}

	@Override
	public void remove(LockKey key) {
		this.table.remove(key);
	}

	@Override
	public List<WakeUp> takeWakeUps() {
		return this.table.takeWakeUps();
	}

}

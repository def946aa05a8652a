package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;

import io.distributedlock.state.Approach;
import io.distributedlock.state.LockTable;
import io.distributedlock.state.WakeUp;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;

/** The rules as they are. */
record SimulationTable(LockTable table) implements SimulationScripts {

	SimulationTable() {
		this(new LockTable(RETENTION));
	}

	@Override
	public AcquireOutcome acquire(long micros, AcquireCommand command, Approach approach) {
		return this.table.acquire(micros, command, approach);
	}

	@Override
	public List<Boolean> renew(long micros, List<RenewCommand> commands) {
		return this.table.renew(micros, commands);
	}

	@Override
	public boolean release(long micros, List<LockKey> keys, RequestId request, RenewalMarks marks) {
		return this.table.release(micros, keys, request, marks);
	}

	@Override
	public boolean abandon(long micros, List<LockKey> keys, RequestId request, RequestId successor, Duration waiting) {
		return this.table.abandon(micros, keys, request, successor, waiting);
	}

	@Override
	public boolean raise(long micros, List<LockKey> keys, RequestId request, long token) {
		return this.table.raise(micros, keys, request, token);
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

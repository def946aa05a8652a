package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;

import io.distributedlock.state.Approach;
import io.distributedlock.state.OpenLock;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

/** What a lock table knows can be kept as text between any two commands. */
class SimulationTextTests {

	private static final int RUNS = Integer.getInteger("simulation.runs", 300);

	@Test
	void tableThatIsReadFromTextAnswersLikeOneThatIsNot() {
		long first = Long.getLong("simulation.seed", 1);
		for (long seed = first; seed < first + RUNS; seed++) {
			new SimulationComparison(seed, new SimulationTable(), new Rewritten(new SimulationTable())).run();
		}
	}

	/** Reads and writes each lock before each command. */
	private static final class Rewritten extends SimulationBrokenScripts {

		private final SimulationTable table;

		Rewritten(SimulationTable table) {
			super(table);
			this.table = table;
		}

		@Override
		public AcquireOutcome acquire(long micros, AcquireCommand command, Approach approach) {
			OpenLock.rewrite(this.table.table(), command.keys(), micros);
			return super.acquire(micros, command, approach);
		}

		@Override
		public List<Boolean> renew(long micros, List<RenewCommand> commands) {
			OpenLock.rewrite(this.table.table(), commands.stream().map(RenewCommand::key).toList(), micros);
			return super.renew(micros, commands);
		}

		@Override
		public boolean release(long micros, List<LockKey> keys, RequestId request, RenewalMarks marks) {
			OpenLock.rewrite(this.table.table(), keys, micros);
			return super.release(micros, keys, request, marks);
		}

		@Override
		public boolean abandon(long micros, List<LockKey> keys, RequestId request, RequestId successor,
				Duration waiting) {
			OpenLock.rewrite(this.table.table(), keys, micros);
			return super.abandon(micros, keys, request, successor, waiting);
		}

	}

}

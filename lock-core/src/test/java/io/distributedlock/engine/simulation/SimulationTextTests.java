package io.distributedlock.engine.simulation;

import java.util.List;

import io.distributedlock.state.OpenLock;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import org.junit.jupiter.api.Test;

/** The contents of a lock table can be kept as text between any two commands. */
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
		public AcquireOutcome acquire(long micros, AcquireCommand command) {
			OpenLock.rewrite(this.table.table(), command.keys(), micros);
			return super.acquire(micros, command);
		}

		@Override
		public List<Ownership> renew(long micros, List<RenewCommand> commands) {
			OpenLock.rewrite(this.table.table(), commands.stream().map(RenewCommand::key).toList(), micros);
			return super.renew(micros, commands);
		}

		@Override
		public Ownership release(long micros, ReleaseCommand command) {
			OpenLock.rewrite(this.table.table(), command.keys(), micros);
			return super.release(micros, command);
		}

		@Override
		public boolean abandon(long micros, AbandonCommand command) {
			OpenLock.rewrite(this.table.table(), command.keys(), micros);
			return super.abandon(micros, command);
		}

	}

}

package io.distributedlock.engine.simulation;

import io.distributedlock.LockMode;
import io.distributedlock.state.LockTable;
import io.distributedlock.state.OpenLock;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.Commands;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RequestId;

/** The scripts with mistakes in the order of waiters, and in shared locks. */
class SimulationBrokenTurns extends SimulationBrokenScripts {

	private final LockTable table;

	SimulationBrokenTurns(SimulationScripts scripts) {
		super(scripts);
		this.table = ((SimulationTable) scripts).table();
	}

	OpenLock lock(long micros, LockKey key) {
		return OpenLock.of(this.table, key, micros);
	}

	/** Readers do not see who waits. */
	static SimulationScripts letsReadersOvertake(SimulationScripts scripts) {
		return letsOvertake(scripts, LockMode.READ);
	}

	/** A request does not see the other waiters. */
	static SimulationScripts letsFairOnesOvertake(SimulationScripts scripts) {
		return letsOvertake(scripts, LockMode.FAIR);
	}

	private static SimulationScripts letsOvertake(SimulationScripts scripts, LockMode mode) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				AcquireOutcome usual = super.acquire(micros, command);
				boolean overtakes = command.mode() == mode && usual instanceof AcquireOutcome.Busy;
				return overtakes ? super.acquire(micros, Commands.retaking(command)) : usual;
			}
		};
	}

	/** Who goes on with another request queues again at the end. */
	static SimulationScripts passesNoPlaceOn(SimulationScripts scripts) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public boolean abandon(long micros, AbandonCommand command) {
				return super.abandon(micros, new AbandonCommand(command.keys(), command.request()));
			}
		};
	}

	/** A reader does not see another one's lease. */
	static SimulationScripts letsWritersJoinReaders(SimulationScripts scripts) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				if (!command.mode().isExclusive()) {
					return super.acquire(micros, command);
				}
				return lock(micros, command.keys().get(0)).withoutSharers(() -> super.acquire(micros, command));
			}
		};
	}

	/** There is one permit more than asked for. */
	static SimulationScripts givesOnePermitMore(SimulationScripts scripts) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				int permits = (command.mode() == LockMode.SEMAPHORE) ? command.permits() + 1 : 0;
				return super.acquire(micros, with(command, permits, command.beside()));
			}
		};
	}

	/** A holder who wants to read waits for itself. */
	static SimulationScripts ignoresBeside(SimulationScripts scripts) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				return super.acquire(micros, with(command, command.permits(), null));
			}
		};
	}

	private static AcquireCommand with(AcquireCommand command, int permits, RequestId beside) {
		return new AcquireCommand(command.keys(), command.request(), command.mode(), permits, beside, command.ttl(),
				command.keepFor(), command.waiting(), command.highestToken(), command.retakes(), command.spareTokens(),
				command.claim(), command.lockDelay(), command.take());
	}

	/** A waiter that attempts again moves to the end of the queue. */
	static SimulationScripts losesPlaces(SimulationScripts scripts) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				command.keys().forEach((key) -> lock(micros, key).losePlace(command.request()));
				return super.acquire(micros, command);
			}
		};
	}

	/** Readers who were let in never come, and are waited for all the same. */
	static SimulationScripts neverEndsPhases(SimulationScripts scripts) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				AcquireOutcome outcome = super.acquire(micros, command);
				command.keys().forEach((key) -> lock(micros, key).neverEndPhase());
				return outcome;
			}
		};
	}

	/** The release of one permit also drops the others. */
	static SimulationScripts forgetsReaders(SimulationScripts scripts) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public Ownership release(long micros, ReleaseCommand command) {
				Ownership owner = super.release(micros, command);
				command.keys().forEach((key) -> lock(micros, key).forgetSharers());
				return owner;
			}
		};
	}

	/** A lock is closed after each end of its lease. */
	static SimulationScripts closesReleased(SimulationScripts scripts) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public Ownership release(long micros, ReleaseCommand command) {
				Ownership owner = super.release(micros, command);
				command.keys()
					.stream()
					.map((key) -> lock(micros, key))
					.filter((lock) -> lock.owner() == null)
					.forEach(OpenLock::close);
				return owner;
			}
		};
	}

	/** Readers get a token of their own. */
	static SimulationScripts givesReadersAnyToken(SimulationScripts scripts) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				AcquireOutcome outcome = super.acquire(micros, command);
				boolean reads = outcome instanceof AcquireOutcome.Granted && command.mode() == LockMode.READ;
				return reads ? new AcquireOutcome.Granted(1) : outcome;
			}
		};
	}

}

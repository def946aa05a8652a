package io.distributedlock.engine;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;

/** The scripts with mistakes in who is next, and in what is shared. */
class SimulationBrokenTurns extends SimulationBrokenScripts {

	private final SimulationLocks locks;

	SimulationBrokenTurns(SimulationScripts scripts) {
		super(scripts);
		this.locks = (SimulationLocks) scripts;
	}

	SimulationLock lock(long micros, LockKey key) {
		return this.locks.peek(key, micros / 1000);
	}

	/** Readers do not see who waits. */
	static SimulationScripts letsReadersOvertake(SimulationScripts scripts) {
		return letsOvertake(scripts, LockMode.READ);
	}

	/** Nobody sees who else is in line. */
	static SimulationScripts letsFairOnesOvertake(SimulationScripts scripts) {
		return letsOvertake(scripts, LockMode.FAIR);
	}

	private static SimulationScripts letsOvertake(SimulationScripts scripts, LockMode mode) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				SimulationLock lock = lock(micros, command.keys().get(0));
				if (command.mode() != mode || command.keys().size() > 1 || lock == null) {
					return super.acquire(micros, command);
				}
				Map<RequestId, SimulationEntry> fair = new HashMap<>(lock.fair);
				List<SimulationLock.Word> words = lock.words("", micros / 1000);
				lock.fair.clear();
				lock.words(List.of());
				AcquireOutcome outcome = super.acquire(micros, command);
				lock.fair.putAll(fair);
				lock.words(words);
				lock.queued |= !fair.isEmpty();
				return outcome;
			}
		};
	}

	/** Who goes on with another request queues again at the end. */
	static SimulationScripts passesNoPlaceOn(SimulationScripts scripts) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public boolean replace(long micros, List<LockKey> keys, RequestId request, RequestId successor,
					Duration waiting) {
				return scripts.abandon(micros, keys, request);
			}
		};
	}

	/** A reader does not see another one's lease. */
	static SimulationScripts letsWritersJoinReaders(SimulationScripts scripts) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				SimulationLock lock = lock(micros, command.keys().get(0));
				if (!command.mode().isExclusive() || lock == null) {
					return super.acquire(micros, command);
				}
				Map<RequestId, SimulationEntry> readers = new HashMap<>(lock.readers);
				lock.readers.clear();
				AcquireOutcome outcome = super.acquire(micros, command);
				lock.readers.putAll(readers);
				return outcome;
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
				command.keepFor(), command.highestToken(), command.waiting());
	}

	/** Whoever asks again goes to the end of the line. */
	static SimulationScripts losesPlaces(SimulationScripts scripts) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				for (LockKey key : command.keys()) {
					SimulationLock lock = lock(micros, key);
					if (lock != null) {
						lock.fair.remove(command.request());
					}
				}
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
				for (LockKey key : command.keys()) {
					SimulationLock lock = lock(micros, key);
					if (lock != null) {
						lock.letIn.replaceAll((request, entry) -> lasting(entry, micros));
						lock.readers.keySet()
							.forEach((request) -> lock.letIn.put(request,
									lasting(new SimulationEntry(request, 0, 0, 0), micros)));
						lock.queued |= !lock.letIn.isEmpty();
					}
				}
				return outcome;
			}

			private SimulationEntry lasting(SimulationEntry entry, long micros) {
				return new SimulationEntry(entry.request(), micros / 1000 + 1_000_000, 1_000_000, 0);
			}
		};
	}

	/** Somebody's permit is thrown away when another one is given back. */
	static SimulationScripts forgetsReaders(SimulationScripts scripts) {
		return new SimulationBrokenTurns(scripts) {
			@Override
			public boolean release(long micros, List<LockKey> keys, RequestId request, RenewalMarks marks) {
				boolean owner = super.release(micros, keys, request, marks);
				keys.stream().map((key) -> lock(micros, key)).filter((lock) -> lock != null).forEach((lock) -> {
					lock.readers.clear();
				});
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

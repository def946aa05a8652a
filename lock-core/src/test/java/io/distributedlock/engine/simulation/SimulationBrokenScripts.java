package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

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
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;

/**
 * Scripts that are correct except for the mistake of a subclass, to see that the mistake
 * is noticed.
 */
class SimulationBrokenScripts implements SimulationScripts {

	/** Ahead of the clock, so that tokens follow each other. */
	private static final long FAR = 5_000_000_000_000_000L;

	private final SimulationScripts scripts;

	SimulationBrokenScripts(SimulationScripts scripts) {
		this.scripts = scripts;
	}

	/** A request for a held lock is granted as well. */
	static SimulationScripts letsASecondOwnerIn(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				AcquireOutcome outcome = scripts.acquire(micros, command);
				return (outcome instanceof AcquireOutcome.Busy) ? new AcquireOutcome.Granted(micros) : outcome;
			}
		};
	}

	/** All tokens are the same. */
	static SimulationScripts givesOneToken(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				AcquireOutcome outcome = scripts.acquire(micros, command);
				return (outcome instanceof AcquireOutcome.Granted) ? new AcquireOutcome.Granted(7) : outcome;
			}
		};
	}

	/** No lease ever runs out. */
	static SimulationScripts standsStill(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				return scripts.acquire(1_700_000_000_000_000L, command);
			}
		};
	}

	/** A lock is free as soon as it is released. */
	static SimulationScripts keepsNothing(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				return scripts.acquire(micros,
						new AcquireCommand(command.keys(), command.request(), command.mode(), command.permits(),
								command.beside(), command.ttl(), Duration.ZERO, command.waiting(),
								command.highestToken(), command.retakes(), command.spareTokens(), command.claim(),
								command.lockDelay(), command.take()));
			}
		};
	}

	/** A lock is open as soon as a lease has run out. */
	static SimulationScripts ignoresDelays(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				return scripts.acquire(micros, command.withLockDelay(Duration.ZERO));
			}
		};
	}

	/** A release that comes too late opens the lock. */
	static SimulationScripts opensForLateReleases(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public Ownership release(long micros, ReleaseCommand command) {
				Ownership owner = scripts.release(micros, command);
				scripts.abandon(micros, new AbandonCommand(command.keys(), command.request()));
				return owner;
			}
		};
	}

	/** A request gets all its permits, of which one counts. */
	static SimulationScripts countsOnePermit(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				return scripts.acquire(micros, command.taking(1));
			}
		};
	}

	/** Tokens are granted, but none is reserved. */
	static SimulationScripts reservesNothing(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				return scripts.acquire(micros,
						new AcquireCommand(command.keys(), command.request(), command.mode(), command.permits(),
								command.beside(), command.ttl(), command.keepFor(), command.waiting(),
								Math.max(command.highestToken(), FAR), command.retakes())
							.taking(command.take())
							.withLockDelay(command.lockDelay()));
			}
		};
	}

	/** Tokens are reserved behind the one that a request has got before. */
	static SimulationScripts reservesBehindAnOldToken(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			private final Map<RequestId, Long> given = new HashMap<>();

			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				AcquireOutcome outcome = super.acquire(micros, command);
				if (!(outcome instanceof AcquireOutcome.Granted granted)) {
					return outcome;
				}
				Long before = this.given.putIfAbsent(command.request(), granted.token());
				return (before != null) ? new AcquireOutcome.Granted(before, granted.contended()) : outcome;
			}

			@Override
			public List<WakeUp> takeWakeUps() {
				List<WakeUp> wakeUps = super.takeWakeUps();
				wakeUps.stream()
					.filter((wakeUp) -> wakeUp.token() > 0)
					.forEach((claim) -> this.given.put(claim.request(), claim.token()));
				return wakeUps;
			}
		};
	}

	/** A claim is over earlier than those who get it believe. */
	static SimulationScripts endsClaimsEarly(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public AcquireOutcome acquire(long micros, AcquireCommand command) {
				return scripts.acquire(micros,
						new AcquireCommand(command.keys(), command.request(), command.mode(), command.permits(),
								command.beside(), command.ttl(), command.keepFor(), command.waiting(),
								command.highestToken(), command.retakes(), command.spareTokens(),
								command.claim().dividedBy(8), command.lockDelay(), command.take()));
			}
		};
	}

	/** An abandon is answered but not heard. */
	static SimulationScripts ignoresAbandon(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public boolean abandon(long micros, AbandonCommand command) {
				return false;
			}
		};
	}

	/** A renewal never answers that the lease was lost. */
	static SimulationScripts renewsForAnyOwner(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public List<Ownership> renew(long micros, List<RenewCommand> commands) {
				return scripts.renew(micros, commands).stream().map((owner) -> Ownership.HELD).toList();
			}
		};
	}

	/** An extend is answered but not heard. */
	static SimulationScripts ignoresExtend(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public Ownership extend(long micros, ExtendCommand command) {
				return Ownership.HELD;
			}
		};
	}

	/** A release changes nothing. */
	static SimulationScripts keepsReleased(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public Ownership release(long micros, ReleaseCommand command) {
				return Ownership.HELD;
			}
		};
	}

	/** A released request may take the lock again. */
	static SimulationScripts forgetsReleased(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public Ownership release(long micros, ReleaseCommand command) {
				Ownership owner = scripts.release(micros, command);
				command.keys().forEach(scripts::remove);
				return owner;
			}
		};
	}

	/** An abandoned request is released, but taken when it arrives later. */
	static SimulationScripts forgetsAbandoned(SimulationScripts scripts) {
		return new SimulationBrokenScripts(scripts) {
			@Override
			public boolean abandon(long micros, AbandonCommand command) {
				return scripts.release(micros,
						new ReleaseCommand(command.keys(), command.request(), RenewalMarks.NONE)) == Ownership.HELD;
			}
		};
	}

	@Override
	public AcquireOutcome acquire(long micros, AcquireCommand command) {
		return this.scripts.acquire(micros, command);
	}

	@Override
	public List<Ownership> renew(long micros, List<RenewCommand> commands) {
		return this.scripts.renew(micros, commands);
	}

	@Override
	public Ownership extend(long micros, ExtendCommand command) {
		return this.scripts.extend(micros, command);
	}

	@Override
	public Ownership release(long micros, ReleaseCommand command) {
		return this.scripts.release(micros, command);
	}

	@Override
	public boolean abandon(long micros, AbandonCommand command) {
		return this.scripts.abandon(micros, command);
	}

	@Override
	public boolean raise(long micros, RaiseCommand command) {
		return this.scripts.raise(micros, command);
	}

	@Override
	public boolean setPermits(long micros, LockKey key, int permits) {
		return this.scripts.setPermits(micros, key, permits);
	}

	@Override
	public void remove(LockKey key) {
		this.scripts.remove(key);
	}

	@Override
	public List<WakeUp> takeWakeUps() {
		return this.scripts.takeWakeUps();
	}

}

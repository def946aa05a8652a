package io.distributedlock.engine.simulation;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;

/**
 * Checks that a lock stays closed for its delay after a lease has run out, and not after
 * a release in time. It keeps its own account of the commands and the answers of the
 * server; where these leave it open how long a lease lasts, it assumes the shortest time.
 * Times are milliseconds of the server.
 */
final class SimulationDelays {

	private final SimulationWorld world;

	private final Map<LockKey, Owner> owners = new HashMap<>();

	SimulationDelays(SimulationWorld world) {
		this.world = world;
	}

	void granted(AcquireCommand command, long now) {
		for (LockKey key : command.keys()) {
			Owner before = this.owners.get(key);
			if (before == null || !before.request.equals(command.request())) {
				checkOpen(key, command.request(), command.beside(), now);
				before = new Owner(command.request(), now, 0, true, false, true);
			}
			if (command.mode().isExclusive()) {
				this.owners.put(key, before.attempts(command, now));
			}
		}
	}

	/** A release gives the lock to a request, whose delay counts from its attempt on. */
	void claimed(LockKey key, RequestId request, long now) {
		checkOpen(key, request, null, now);
		this.owners.put(key, new Owner(request, now, 0, false, false, true));
	}

	private void checkOpen(LockKey key, RequestId request, RequestId beside, long now) {
		Owner before = this.owners.get(key);
		boolean reads = before != null && before.request.equals(beside) && now < before.deadline;
		if (before != null && before.delay > 0 && now < before.deadline + before.delay && !reads) {
			this.world.violation("%s was given to %s at %d, but is closed after %s", key, request, now, before);
		}
	}

	void renewed(RenewCommand command, Ownership answer, long now) {
		if (answer == Ownership.HELD) {
			this.owners.computeIfPresent(command.key(), (key, owner) -> owner.request.equals(command.request())
					? owner.until(Math.max(owner.deadline, now + command.ttl().toMillis()), owner.exact) : owner);
		}
	}

	/** A copy of an earlier one changes nothing. */
	void extended(ExtendCommand command, Ownership answer, long now) {
		long until = (answer == Ownership.HELD) ? now + command.ttl().toMillis() : now;
		for (LockKey key : command.keys()) {
			this.owners.computeIfPresent(key, (same, owner) -> owner.request.equals(command.request())
					? owner.until(Math.min(owner.deadline, until), false) : owner);
		}
	}

	/** A release that comes too late does not open the lock. */
	void released(ReleaseCommand command, Ownership answer, long now) {
		for (LockKey key : command.keys()) {
			Owner owner = this.owners.get(key);
			if (owner == null || !owner.request.equals(command.request())) {
				continue;
			}
			boolean inTime = answer == Ownership.HELD && now < owner.deadline;
			if (inTime && owner.delay > 0 && !owner.keeps && !this.world.server().isFree(key)
					&& this.world.server().holders(key).isEmpty()) {
				this.world.violation("%s is closed after the release of %s", key, owner);
			}
			if (inTime || !owner.exact || answer != Ownership.HELD) {
				this.owners.remove(key);
			}
		}
	}

	/** No code has run under a request that is abandoned. */
	void abandoned(List<LockKey> keys, RequestId request) {
		keys.forEach((key) -> this.owners.computeIfPresent(key,
				(same, owner) -> owner.request.equals(request) ? null : owner));
	}

	/** The server has lost a lock, or an operator has freed it. */
	void forget(LockKey key) {
		this.owners.remove(key);
	}

	/** Another server answers, or another time counts. */
	void forgetAll() {
		this.owners.clear();
	}

	/**
	 * The last request that has or had a lock alone.
	 *
	 * @param request the request
	 * @param deadline the earliest time when its lease runs out
	 * @param delay its delay
	 * @param exact {@code true} if the lease runs out just then
	 * @param keeps {@code true} if it keeps the lock for a time
	 * @param given {@code true} until it attempts
	 */
	private record Owner(RequestId request, long deadline, long delay, boolean exact, boolean keeps, boolean given) {

		private Owner attempts(AcquireCommand command, long now) {
			long until = Math.max(this.deadline, now + command.ttl().toMillis());
			return new Owner(this.request, until, this.given ? command.lockDelay().toMillis() : this.delay, this.exact,
					!command.keepFor().isZero(), false);
		}

		private Owner until(long until, boolean isExact) {
			return new Owner(this.request, until, this.delay, isExact, this.keeps, this.given);
		}

	}

}

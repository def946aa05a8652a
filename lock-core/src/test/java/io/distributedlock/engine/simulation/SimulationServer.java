package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import io.distributedlock.LockMode;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.state.OpenLock;
import io.distributedlock.state.WakeUp;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;

/**
 * The server of a simulated world: a lock table, a clock of its own, and a memory of
 * which requests it was told to end.
 */
final class SimulationServer implements SimulationPrimary {

	private final SimulationWorld world;

	private final SimulationSabotage sabotage;

	private SimulationTable locks = new SimulationTable();

	private SimulationScripts scripts;

	private final SimulationTurns turns;

	private final SimulationDelays delays;

	private final Map<String, SimulationLink> links = new HashMap<>();

	/** By key and request. */
	private final Map<String, Map<RequestId, End>> ended = new HashMap<>();

	/** By key and request, the permits that it was given. */
	private final Map<LockKey, Map<RequestId, Integer>> taken = new HashMap<>();

	private final Map<String, Long> grantedAt = new HashMap<>();

	private final Map<String, Long> excusedUntil = new HashMap<>();

	private long micros = 1_700_000_000_000_000L;

	SimulationServer(SimulationWorld world, SimulationSabotage sabotage) {
		this.world = world;
		this.sabotage = sabotage;
		this.turns = new SimulationTurns(world);
		this.delays = new SimulationDelays(world);
		this.scripts = sabotage.scripts().apply(this.locks);
	}

	/** Instead of by the identity that it had before. */
	void connect(String instance, SimulationLink link) {
		this.links.values().removeIf((other) -> other == link);
		this.links.put(instance, link);
	}

	long micros() {
		return this.micros + this.world.now() / 1000;
	}

	private long millis() {
		return micros() / 1000;
	}

	@Override
	public AcquireOutcome acquire(AcquireCommand command) {
		command.keys().forEach((key) -> this.turns.looksAt(key, !isFree(key), millis()));
		Set<LockKey> held = command.keys()
			.stream()
			.filter((key) -> isHeldBy(key, command.request()))
			.collect(Collectors.toSet());
		AcquireOutcome outcome = this.scripts.acquire(micros(), command);
		this.world.trace(() -> "  " + command + " -> " + outcome);
		if (outcome instanceof AcquireOutcome.Granted granted) {
			this.delays.granted(command, millis());
			command.keys().forEach((key) -> granted(key, command.request()));
			if (held.size() < command.keys().size()) {
				command.keys()
					.forEach((key) -> this.turns.granted(command, key, granted.token(), held.contains(key), millis()));
				command.keys().forEach((key) -> note(key, command));
			}
		}
		else if (outcome instanceof AcquireOutcome.Busy busy) {
			this.turns.busy(command, busy, millis());
		}
		wake();
		return outcome;
	}

	private void note(LockKey key, AcquireCommand command) {
		Map<RequestId, Integer> permits = this.taken.computeIfAbsent(key, (missing) -> new HashMap<>());
		permits.keySet().retainAll(holders(key));
		permits.put(command.request(), command.take());
		int sum = holders(key).stream().mapToInt((holder) -> permits.getOrDefault(holder, 1)).sum();
		if (command.mode() == LockMode.SEMAPHORE && sum > command.permits()) {
			this.world.violation("%s has more holders than %d: %s", key, command.permits(), permits);
		}
	}

	private void granted(LockKey key, RequestId request) {
		this.grantedAt.put(key.encoded(), this.world.now());
		End end = this.ended.getOrDefault(key.encoded(), Map.of()).get(request);
		if (end != null && end.certain && micros() - end.micros < SimulationScripts.RETENTION.toNanos() / 1000) {
			this.world.violation("%s was given to %s, which had ended", key, request);
		}
	}

	@Override
	public List<Ownership> renew(List<RenewCommand> commands) {
		List<Ownership> owners = this.scripts.renew(micros(), commands);
		this.world.trace(() -> "  " + commands + " -> " + owners);
		for (int i = 0; i < commands.size(); i++) {
			this.delays.renewed(commands.get(i), owners.get(i), millis());
		}
		return owners;
	}

	@Override
	public Ownership extend(ExtendCommand command) {
		Ownership owner = this.scripts.extend(micros(), command);
		this.world.trace(() -> "  " + command + " -> " + owner);
		this.delays.extended(command, owner, millis());
		return owner;
	}

	@Override
	public Ownership release(ReleaseCommand command) {
		Ownership owner = this.scripts.release(micros(), command);
		this.world.trace(() -> "  " + command + " -> " + owner);
		this.delays.released(command, owner, millis());
		end(command.keys(), command.request(), owner == Ownership.HELD);
		return owner;
	}

	@Override
	public Void abandon(AbandonCommand command) {
		RequestId successor = command.successor();
		List<LockKey> passed = (successor == null) ? List.of()
				: command.keys().stream().filter((key) -> lock(key).passes(command.request(), successor)).toList();
		boolean remembered = isEndRemembered(command.keys(), command.request());
		boolean owner = this.scripts.abandon(micros(), command);
		this.world.trace(() -> "  " + command + " -> " + owner);
		this.delays.abandoned(command.keys(), command.request());
		end(command.keys(), command.request(), remembered);
		long until = millis() + command.waiting().toMillis();
		passed.forEach((key) -> this.turns.replaced(key, successor, until, millis()));
		return null;
	}

	/** Not while an earlier request of the same contender shares one of the locks. */
	private boolean isEndRemembered(List<LockKey> keys, RequestId request) {
		return keys.stream().noneMatch((key) -> lock(key).isSharedBefore(request));
	}

	private void end(List<LockKey> keys, RequestId request, boolean certain) {
		for (LockKey key : keys) {
			this.turns.ended(key, request, millis());
			this.ended.computeIfAbsent(key.encoded(), (missing) -> new HashMap<>())
				.merge(request, new End(micros(), certain), End::again);
		}
		wake();
	}

	private void wake() {
		List<WakeUp> wakeUps = this.scripts.takeWakeUps();
		wakeUps.stream()
			.filter((wakeUp) -> wakeUp.token() > 0)
			.forEach((wakeUp) -> claimed(wakeUp.key(), wakeUp.request(), wakeUp.token()));
		wakeUps.stream()
			.filter((wakeUp) -> wakeUp.token() == 0 && wakeUp.request() != null)
			.forEach((wakeUp) -> this.turns.woken(wakeUp.key(), wakeUp.request()));
		publish(this, wakeUps);
	}

	/** Tell those who listen to a server. */
	void publish(SimulationPrimary server, List<WakeUp> wakeUps) {
		for (WakeUp wakeUp : wakeUps) {
			this.world.trace(() -> "  " + wakeUp);
			SimulationLink link = this.links.get(wakeUp.instance());
			if (link != null) {
				link.wakeUp(server, wakeUp);
			}
		}
	}

	/** A request that waited has the lock without having asked again. */
	private void claimed(LockKey key, RequestId request, long token) {
		granted(key, request);
		this.delays.claimed(key, request, millis());
		AcquireCommand taking = new AcquireCommand(key, request, Duration.ofSeconds(1), Duration.ZERO, Duration.ZERO);
		this.turns.granted(taking, key, token, false, millis());
	}

	/** A key is evicted, or all of them are. */
	void lose(LockKey key) {
		this.world.trace(() -> "  the store loses " + key);
		this.scripts.remove(key);
		this.ended.remove(key.encoded());
		this.turns.forget(key);
		this.delays.forget(key);
		excuse(key, this.world.now());
		this.world.tokens().lost(key);
	}

	/** An operator takes a lock away from all that have it, for good. */
	void takeAway(LockKey key) {
		List<RequestId> holders = holders(key);
		this.world.trace(() -> "  " + key + " is taken away from " + holders);
		this.locks.table().forceRelease(micros(), new ForceReleaseCommand(key, null));
		this.delays.forget(key);
		excuse(key, this.world.now());
		holders.forEach((holder) -> end(List.of(key), holder, true));
		wake();
	}

	SimulationTable table() {
		return this.locks;
	}

	/** The locks as an up-to-date replica has them. */
	SimulationTable copy() {
		SimulationTable copy = new SimulationTable();
		SimulationOptions.KEYS.forEach((key) -> OpenLock.copy(this.locks.table(), copy.table(), key, micros()));
		return copy;
	}

	/**
	 * A replica takes over, and all instances have followed by a time.
	 * @return the primary that there was
	 */
	SimulationFormer failOver(SimulationTable replica, long until) {
		this.world.trace(() -> "  a replica takes over");
		SimulationFormer former = new SimulationFormer(this.world, this.scripts);
		this.locks = replica;
		this.scripts = this.sabotage.scripts().apply(replica);
		this.ended.clear();
		this.turns.failedOver(millis());
		this.delays.forgetAll();
		for (LockKey key : SimulationOptions.KEYS) {
			excuse(key, until);
			this.world.tokens().failsOver(key, until);
		}
		return former;
	}

	/** Leases may run out early now, but no belief outlives the longest of them. */
	private void excuse(LockKey key, long until) {
		this.world.checks().forgotten(key);
		this.excusedUntil.merge(key.encoded(), until + SimulationOptions.LONGEST_TTL_NANOS, Math::max);
	}

	/** An operator sets the clock. */
	void jump(long millis) {
		this.world.trace(() -> "  the clock of the store jumps by " + millis + " ms");
		this.micros += millis * 1000;
		this.turns.jumped();
		this.delays.forgetAll();
		if (millis > 0) {
			SimulationOptions.KEYS.forEach((key) -> excuse(key, this.world.now()));
			SimulationOptions.KEYS.forEach(this.world.tokens()::lost);
		}
	}

	/** Return whether a holder may be wrong, because the store has forgotten it. */
	boolean isExcused(String key) {
		return this.world.now() <= this.excusedUntil.getOrDefault(key, -1L);
	}

	/** Return whether a holder may have been wrong then, or since. */
	boolean wasExcused(String key, long time) {
		return time <= this.excusedUntil.getOrDefault(key, -1L);
	}

	/** When a lock was granted last. */
	long grantedAt(LockKey key) {
		return this.grantedAt.getOrDefault(key.encoded(), 0L);
	}

	private OpenLock lock(LockKey key) {
		return OpenLock.of(this.locks.table(), key, micros());
	}

	/**
	 * Return whether a lock has no exclusive holder and is open; there may be readers.
	 */
	boolean isFree(LockKey key) {
		return lock(key).isFree();
	}

	/** Return whether a request can get the lock, apart from other waiters. */
	boolean isFree(LockKey key, LockTerms terms) {
		OpenLock lock = lock(key);
		int shared = lock.taken();
		return switch (terms.mode) {
			case SEMAPHORE -> shared + terms.take <= terms.permits;
			case READ -> lock.isFree() && (shared == 0 || !lock.isWaitedForAlone()) && !isAwaited(key);
			default -> lock.isFree() && shared == 0 && !isAwaited(key);
		};
	}

	/** Return whether a fair waiter also waits for other keys of its set. */
	private boolean isAwaited(LockKey key) {
		Set<RequestId> waiters = lock(key).fairWaiters();
		return SimulationOptions.KEYS.stream()
			.filter((other) -> !other.equals(key))
			.anyMatch((other) -> !Collections.disjoint(lock(other).fairWaiters(), waiters));
	}

	boolean isHeldBy(LockKey key, RequestId request) {
		return holders(key).contains(request);
	}

	/** The requests that hold a lock. */
	List<RequestId> holders(LockKey key) {
		OpenLock lock = lock(key);
		List<RequestId> holders = lock.sharers();
		if (lock.owner() != null) {
			holders.add(lock.owner());
		}
		return holders;
	}

	boolean isForgotten(LockKey key) {
		return !lock(key).isKnown();
	}

	/**
	 * The end of a request.
	 *
	 * @param micros the time of the end
	 * @param certain whether the store certainly remembers it
	 */
	private record End(long micros, boolean certain) {

		/** The time of the first end stays; either end may be the certain one. */
		private End again(End second) {
			return new End(this.micros, this.certain || second.certain);
		}

	}

}

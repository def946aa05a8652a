package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;

/**
 * The model of the scripts. {@link SimulationModelIntegrationTests} compares it with the
 * real ones.
 */
final class SimulationLocks implements SimulationScripts {

	private final Map<String, SimulationLock> locks = new HashMap<>();

	private List<WakeUp> wakeUps = new ArrayList<>();

	@Override
	public AcquireOutcome acquire(long micros, AcquireCommand command) {
		return new SimulationAcquisition(this, command, micros, this::wake).run();
	}

	@Override
	public List<Boolean> renew(long micros, List<RenewCommand> commands) {
		long now = micros / 1000;
		List<Boolean> owners = new ArrayList<>(commands.size());
		for (RenewCommand command : commands) {
			SimulationLock lock = peek(command.key(), now);
			owners.add(lock != null && renew(lock, command, now));
		}
		return owners;
	}

	private static boolean renew(SimulationLock lock, RenewCommand command, long now) {
		boolean alone = command.request().equals(lock.owner);
		SimulationEntry own = lock.readers.get(command.request());
		long held = alone ? lock.deadline(now) : (own != null) ? own.at(now).deadline() : 0;
		if (held <= now || !command.marks().know(alone ? lock.mark : own.mark())) {
			return false;
		}
		long deadline = Math.max(held, now + millis(command.ttl()));
		lock.live(Math.max(deadline, lock.kept(now)) + RETENTION, lock.isShared());
		if (alone) {
			lock.deadline = deadline;
			lock.longestLease = deadline - now;
			lock.mark = command.marks().newest();
		}
		else {
			lock.readers.put(own.request(),
					new SimulationEntry(own.request(), deadline, deadline - now, own.more(), command.marks().newest()));
		}
		return true;
	}

	@Override
	public boolean release(long micros, List<LockKey> keys, RequestId request, RenewalMarks marks) {
		boolean all = true;
		for (LockKey key : keys) {
			all &= release(key, request, marks, micros / 1000);
		}
		return all;
	}

	private boolean release(LockKey key, RequestId request, RenewalMarks marks, long now) {
		SimulationLock lock = peek(key, now);
		if (lock == null) {
			return false;
		}
		if (!request.equals(lock.owner) || !marks.know(lock.mark)) {
			SimulationEntry own = lock.readers.get(request);
			return (own != null && marks.know(own.mark())) ? releaseShared(key, lock, request, now)
					: lock.hasReleased(request);
		}
		boolean held = lock.isHeld(now);
		lock.disown();
		lock.noteReleased(request);
		lock.live(Math.max(lock.kept(now), now) + RETENTION, lock.isShared());
		if (lock.kept(now) <= now) {
			lock.keepNoMore();
			if (lock.hasWords() || lock.isShared()) {
				new Turn(key, lock, now, "").passOn(true).finish();
			}
		}
		return held;
	}

	private boolean releaseShared(LockKey key, SimulationLock lock, RequestId request, long now) {
		boolean held = lock.readers.remove(request).at(now).deadline() > now;
		lock.noteSharedReleased(request);
		lock.live(now + RETENTION, true);
		Turn turn = new Turn(key, lock, now, "");
		if (lock.kind == 'S') {
			turn.wakeFirst().finish();
		}
		else if (lock.isFree(now) && (lock.hasWords() || lock.queued || lock.isLookDue(now))) {
			turn.passOn(false).finish();
		}
		return held;
	}

	@Override
	public boolean abandon(long micros, List<LockKey> keys, RequestId request) {
		boolean all = true;
		for (LockKey key : keys) {
			all &= abandon(key, request, null, 0, micros / 1000);
		}
		return all;
	}

	@Override
	public boolean replace(long micros, List<LockKey> keys, RequestId request, RequestId successor, Duration waiting) {
		boolean all = true;
		for (LockKey key : keys) {
			all &= abandon(key, request, successor, millis(waiting), micros / 1000);
		}
		return all;
	}

	private boolean abandon(LockKey key, RequestId request, RequestId successor, long waiting, long now) {
		SimulationLock lock = lock(key, now);
		boolean owned = request.equals(lock.owner);
		boolean passes = owned && successor != null && !lock.hasAbandoned(successor);
		boolean shared = lock.readers.remove(request) != null;
		boolean waited = lock.waitingReaders.remove(request) != null;
		waited |= lock.letIn.remove(request) != null;
		waited |= lock.fair.remove(request) != null;
		if (owned) {
			lock.disown();
			lock.keepNoMore();
		}
		lock.noteAbandoned(request);
		lock.live(now + waiting + RETENTION, !owned || lock.isShared());
		Turn turn = new Turn(key, lock, now, (shared || waited) ? "" : request.instance());
		if (passes) {
			turn.passTo(successor, waiting);
		}
		else if (Math.max(lock.deadline(now), lock.kept(now)) <= now) {
			if (lock.kind != 'S') {
				turn.passOn(owned);
			}
			else {
				turn.wakeIfAPermitIsLeft();
			}
		}
		turn.finish();
		return owned || shared;
	}

	private void wake(String instance, String key, String request) {
		this.wakeUps.add(new WakeUp(instance, key, request));
	}

	@Override
	public void remove(LockKey key) {
		this.locks.remove(key.encoded());
	}

	@Override
	public List<WakeUp> wakeUps() {
		if (this.wakeUps.isEmpty()) {
			return List.of();
		}
		List<WakeUp> all = this.wakeUps;
		this.wakeUps = new ArrayList<>();
		return all;
	}

	/** What is known of a lock, or {@code null}. */
	SimulationLock peek(LockKey key, long now) {
		SimulationLock lock = this.locks.get(key.encoded());
		if (lock != null && lock.expireAt < now) {
			this.locks.remove(key.encoded());
			return null;
		}
		return lock;
	}

	/** Somebody knows something of this lock from now on. */
	void keep(LockKey key, SimulationLock lock) {
		this.locks.put(key.encoded(), lock);
	}

	private SimulationLock lock(LockKey key, long now) {
		SimulationLock lock = peek(key, now);
		if (lock == null) {
			lock = new SimulationLock();
			this.locks.put(key.encoded(), lock);
		}
		return lock;
	}

	static long millis(Duration duration) {
		return duration.isZero() ? 0 : Math.max(1, duration.toMillis());
	}

	/** Who is next when somebody goes. */
	private final class Turn {

		private final LockKey key;

		private final SimulationLock lock;

		private final SimulationShare share;

		private final List<SimulationLock.Word> line;

		private final long now;

		Turn(LockKey key, SimulationLock lock, long now, String without) {
			this.key = key;
			this.lock = lock;
			this.now = now;
			this.share = new SimulationShare(lock, now);
			this.line = lock.words(without, now);
		}

		Turn passOn(boolean fromWriter) {
			if (this.lock.isShared()) {
				this.share.scan();
			}
			boolean writers = !this.share.fair.isEmpty() || !this.line.isEmpty();
			if (!this.share.waitingReaders.isEmpty() && (fromWriter || !writers)) {
				this.share.letReadersIn();
			}
			else if (this.share.readers.isEmpty() && this.share.letIn.isEmpty()) {
				SimulationEntry head = this.share.head();
				if (head != null) {
					wake(head.request().instance(), this.key.encoded(), head.request().toString());
				}
				else {
					SimulationLock.wakeNext(this.line, (instance) -> wake(instance, this.key.encoded(), ""));
				}
			}
			return this;
		}

		/** Before all others. */
		void passTo(RequestId successor, long waiting) {
			this.share.scan();
			SimulationEntry head = this.share.head();
			long ticket = ((head != null) ? head.more() : 1) - 1;
			this.share.fair.put(successor, new SimulationEntry(successor, this.now + waiting, waiting, ticket));
		}

		Turn wakeFirst() {
			if (!this.line.isEmpty()) {
				wake(this.line.remove(0).instance(), this.key.encoded(), "");
			}
			return this;
		}

		void wakeIfAPermitIsLeft() {
			if (!this.line.isEmpty()) {
				this.share.scan();
				if (this.share.readers.size() < this.lock.permits) {
					wakeFirst();
				}
			}
		}

		void finish() {
			this.share.note();
			this.lock.words(this.line);
			this.share.woken().forEach((instance) -> wake(instance, this.key.encoded(), ""));
		}

	}

}

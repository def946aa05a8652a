package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;

/**
 * One run of {@code acquire.lua}: first all is read and decided, then written.
 */
final class SimulationAcquisition {

	private final SimulationLocks locks;

	private final AcquireCommand command;

	private final RequestId request;

	private final LockMode mode;

	private final long micros;

	private final long now;

	private final Waking wake;

	private final List<Seen> all = new ArrayList<>(2);

	SimulationAcquisition(SimulationLocks locks, AcquireCommand command, long micros, Waking wake) {
		this.locks = locks;
		this.command = command;
		this.request = command.request();
		this.mode = command.mode();
		this.micros = micros;
		this.now = micros / 1000;
		this.wake = wake;
	}

	AcquireOutcome run() {
		int owned = 0;
		int busy = -1;
		boolean ended = false;
		for (LockKey key : this.command.keys()) {
			Seen seen = new Seen(key);
			this.all.add(seen);
			if (this.request.equals(seen.lock.owner)) {
				owned++;
				ended |= !seen.lock.isHeld(this.now);
			}
			else if (seen.own != null && this.mode != LockMode.FAIR) {
				owned++;
				ended |= seen.own.deadline() <= this.now;
			}
			else if (seen.lock.hasEnded(this.request, seen.share == null)) {
				ended = true;
			}
			else {
				seen.requireKind();
				seen.obstacle = seen.obstacle();
				busy = (busy < 0 && seen.obstacle != null) ? this.all.size() - 1 : busy;
			}
		}
		if (ended || (owned > 0 && owned < this.all.size())) {
			return AcquireOutcome.Refused.INSTANCE;
		}
		if (owned > 0) {
			return again();
		}
		return (busy >= 0) ? busy(busy) : take();
	}

	private AcquireOutcome again() {
		boolean shared = !this.request.equals(this.all.get(0).lock.owner);
		for (Seen seen : this.all) {
			SimulationLock lock = seen.lock;
			long held = shared ? seen.own.deadline() : lock.deadline(this.now);
			long deadline = Math.max(held, this.now + ttl());
			lock.live(Math.max(deadline, lock.kept(this.now)) + SimulationScripts.RETENTION, seen.share != null);
			if (shared) {
				lock.readers.put(this.request, new SimulationEntry(this.request, deadline, deadline - this.now,
						seen.own.more(), seen.own.mark()));
			}
			else {
				lock.deadline = deadline;
				lock.longestLease = deadline - this.now;
			}
		}
		Seen first = this.all.get(0);
		return new AcquireOutcome.Granted(shared ? first.own.more() : first.lock.token);
	}

	private AcquireOutcome busy(int index) {
		Seen busy = this.all.get(index);
		SimulationLock lock = busy.lock;
		if (lock.isHeld(this.now)) {
			lock.deadline = lock.deadline(this.now);
		}
		if (lock.kept(this.now) > this.now) {
			lock.kept = lock.kept(this.now);
		}
		long waiting = SimulationLocks.millis(this.command.waiting());
		boolean inLine = this.mode == LockMode.EXCLUSIVE || this.mode == LockMode.SEMAPHORE;
		if (waiting > 0 && inLine) {
			lock.queue(this.request.instance(), this.now + waiting, this.now);
		}
		boolean again = this.all.stream().allMatch((seen) -> seen.own != null && seen.own.deadline() > this.now);
		for (Seen seen : this.all) {
			boolean joins = waiting > 0 && !inLine && (seen == busy || this.mode == LockMode.FAIR);
			if (seen.share != null) {
				if (seen != busy) {
					seen.makeRoom();
				}
				seen.settle(joins ? waiting : 0, again);
			}
		}
		Obstacle found = busy.obstacle;
		return new AcquireOutcome.Busy((found.holder != null) ? found.holder.instance() : "",
				Duration.ofMillis(found.until - this.now), index);
	}

	private AcquireOutcome take() {
		long token = token();
		this.all.forEach((seen) -> seen.take(token));
		return new AcquireOutcome.Granted(token);
	}

	private long token() {
		boolean raised = this.mode != LockMode.READ;
		long last = 0;
		for (Seen seen : this.all) {
			raised |= seen.lock.token == 0;
			last = Math.max(last, seen.lock.token);
		}
		return raised ? Math.max(Math.max(this.micros, this.command.highestToken() + 1), last + 1) : last;
	}

	private long ttl() {
		return SimulationLocks.millis(this.command.ttl());
	}

	/** Tells an instance of a lock and, if it is one request's turn, of that. */
	@FunctionalInterface
	interface Waking {

		void wake(String instance, String key, String request);

	}

	/**
	 * What is in the way.
	 *
	 * @param until until when at the latest
	 * @param holder whose it is, or {@code null}
	 */
	private record Obstacle(long until, RequestId holder) {

		private Obstacle(SimulationEntry entry) {
			this(entry.deadline(), entry.request());
		}

	}

	/** One of the locks. */
	private final class Seen {

		private final long now = SimulationAcquisition.this.now;

		private final RequestId request = SimulationAcquisition.this.request;

		private final LockMode mode = SimulationAcquisition.this.mode;

		private final LockKey key;

		/** What is known of it, or a new one that is nowhere yet. */
		private SimulationLock lock;

		/** Nothing where an exclusive request finds an exclusive lock. */
		private final SimulationShare share;

		private SimulationEntry own;

		private Obstacle obstacle;

		Seen(LockKey key) {
			this.key = key;
			SimulationLock known = SimulationAcquisition.this.locks.peek(key, this.now);
			this.lock = (known != null) ? known : new SimulationLock();
			boolean plain = this.mode == LockMode.EXCLUSIVE && !this.lock.isShared() && this.lock.kind != 'S';
			this.share = plain ? null : new SimulationShare(this.lock, this.now);
			if (!plain) {
				look();
			}
		}

		private void look() {
			SimulationEntry entry = ((this.mode == LockMode.FAIR) ? this.lock.fair : this.lock.readers)
				.get(this.request);
			this.own = (entry != null) ? entry.at(this.now) : null;
			boolean joins = this.mode == LockMode.READ && this.lock.kind == 'X';
			boolean due = joins ? this.lock.isLookDue(this.now) : this.lock.lookAt != 0;
			if (this.lock.isFree(this.now) && (this.lock.queued || due)) {
				this.share.scan();
			}
			if (this.lock.isFree(this.now) && (this.lock.owner != null || this.lock.kept != 0)
					&& !this.share.waitingReaders.isEmpty()) {
				this.share.letReadersIn();
			}
		}

		void requireKind() {
			char kind = (this.mode == LockMode.SEMAPHORE) ? 'S' : 'X';
			boolean same = this.lock.kind == kind
					&& (kind == 'X' || this.lock.permits == SimulationAcquisition.this.command.permits());
			if (this.share == null || this.lock.kind == 0 || same) {
				return;
			}
			if (!this.lock.isFree(this.now) || !this.lock.words("", this.now).isEmpty() || !this.share.isEmpty()) {
				throw new LockStoreException(LockStoreException.Kind.MISCONFIGURED,
						this.lock.kind + " of " + this.lock.permits, null);
			}
		}

		Obstacle obstacle() {
			if (this.lock.isHeld(this.now)) {
				boolean beside = this.lock.owner.equals(SimulationAcquisition.this.command.beside());
				return beside ? null : new Obstacle(Math.max(this.lock.deadline(this.now), this.lock.kept(this.now)),
						this.lock.owner);
			}
			if (this.lock.kept(this.now) > this.now) {
				return new Obstacle(this.lock.kept(this.now), null);
			}
			if (this.share == null) {
				return null;
			}
			return switch (this.mode) {
				case SEMAPHORE -> (this.share.readers.size() < SimulationAcquisition.this.command.permits()) ? null
						: new Obstacle(SimulationShare.first(this.share.readers));
				case READ -> writerBefore();
				default -> othersBefore();
			};
		}

		private Obstacle writerBefore() {
			long last = SimulationShare.latest(this.share.fair);
			for (SimulationLock.Word word : this.lock.words("", this.now)) {
				last = Math.max(last, word.until());
			}
			return (last == 0 || this.share.letIn.containsKey(this.request)) ? null : new Obstacle(last, null);
		}

		private Obstacle othersBefore() {
			if (!this.share.readers.isEmpty()) {
				return new Obstacle(SimulationShare.last(this.share.readers));
			}
			if (!this.share.letIn.isEmpty()) {
				return new Obstacle(SimulationShare.latest(this.share.letIn), null);
			}
			SimulationEntry head = this.share.head();
			return (head == null || head.request().equals(this.request)) ? null : new Obstacle(head.deadline(), null);
		}

		/** Who might come in now, but not to another lock of the set, lets others. */
		void makeRoom() {
			if (!this.lock.isFree(this.now) || this.share.letIn.remove(this.request) == null) {
				return;
			}
			List<SimulationLock.Word> line = this.lock.words("", this.now);
			if (!this.share.waitingReaders.isEmpty() && this.share.fair.isEmpty() && line.isEmpty()) {
				this.share.letReadersIn();
			}
			else if (this.share.readers.isEmpty() && this.share.letIn.isEmpty()) {
				SimulationEntry head = this.share.head();
				if (head != null) {
					wake(head.request().instance(), head.request().toString());
				}
				else {
					SimulationLock.wakeNext(line, (instance) -> wake(instance, ""));
				}
			}
			this.lock.words(line);
		}

		private void wake(String instance, String turn) {
			SimulationAcquisition.this.wake.wake(instance, this.key.encoded(), turn);
		}

		/** Write down what was found, and that this one waits if it does. */
		void settle(long waiting, boolean again) {
			if (this.share.hasLetReadersIn()) {
				this.share.forgetOwner();
			}
			if (waiting > 0) {
				join(waiting, again);
			}
			this.share.note();
			wakeReaders();
			if (waiting > 0) {
				SimulationAcquisition.this.locks.keep(this.key, this.lock);
				this.lock.live(this.now + waiting + SimulationScripts.RETENTION, true);
			}
		}

		private void join(long waiting, boolean again) {
			long ticket = 0;
			if (this.mode == LockMode.FAIR) {
				ticket = again ? this.own.more() : ++this.lock.lastTicket;
				this.lock.kind = 'X';
				this.lock.permits = 0;
			}
			((this.mode == LockMode.FAIR) ? this.share.fair : this.share.waitingReaders).put(this.request,
					new SimulationEntry(this.request, this.now + waiting, waiting, ticket));
		}

		private void wakeReaders() {
			this.share.woken().forEach((instance) -> wake(instance, ""));
		}

		void take(long token) {
			AcquireCommand command = SimulationAcquisition.this.command;
			SimulationAcquisition.this.locks.keep(this.key, this.lock);
			boolean shared = this.share != null;
			SimulationShare view = shared ? this.share : new SimulationShare(this.lock, this.now);
			view.leave(this.request);
			if (this.mode.isExclusive()) {
				own(view, token);
			}
			else {
				hold(view, token);
			}
			if (this.mode == LockMode.EXCLUSIVE || this.mode == LockMode.SEMAPHORE) {
				this.lock.words(this.lock.words(this.request.instance(), this.now));
			}
			this.lock.kind = (this.mode == LockMode.SEMAPHORE) ? 'S' : 'X';
			this.lock.permits = command.permits();
			view.note();
			long lasting = Math.max(ttl(), SimulationLocks.millis(command.keepFor()));
			this.lock.live(this.now + lasting + SimulationScripts.RETENTION, shared);
			if (shared) {
				wakeReaders();
			}
		}

		private void own(SimulationShare view, long token) {
			long keepFor = SimulationLocks.millis(SimulationAcquisition.this.command.keepFor());
			view.forgetOwner();
			this.lock.owner = this.request;
			this.lock.mark = null;
			this.lock.token = token;
			this.lock.deadline = this.now + ttl();
			this.lock.longestLease = ttl();
			this.lock.kept = (keepFor > 0) ? this.now + keepFor : 0;
			this.lock.longestKept = keepFor;
		}

		private void hold(SimulationShare view, long token) {
			if (this.lock.isFree(this.now)) {
				view.forgetOwner();
			}
			this.lock.token = Math.max(this.lock.token, token);
			view.readers.put(this.request, new SimulationEntry(this.request, this.now + ttl(), ttl(), token));
		}

	}

}

package io.distributedlock.engine.internal.instance;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

import io.distributedlock.engine.internal.time.HeapTimer;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * The attempts, releases and abandons for a node that did not answer in time. Commands
 * sent to a stalled node are in front of those that count when it goes on. Attempts that
 * callers have given up by then have to be ended as well. So only a few commands at a
 * time are in flight to a silent node. A command that waits for its turn was never sent,
 * and leaves nothing behind when its caller gives up. Each answer raises the limit, until
 * most are late (Jacobson, "Congestion Avoidance and Control", SIGCOMM 1988). A command
 * whose answer would be late is not sent. After a time without late answers this object
 * is dropped. Guarded by its monitor, outside of which commands are sent and cancelled.
 */
final class NodeTraffic extends HeapTimer {

	private static final LockLog logger = LockLog.of(NodeTraffic.class);

	/** The most commands in flight to a silent node. */
	static final int PROBES = 2;

	/** The lowest limit for a node that answers, though late. */
	private static final int LEAST = 8;

	/**
	 * Time until a node counts as silent; twice the usual answer time if that is more.
	 */
	private static final long SILENCE_NANOS = 100_000_000;

	/** Time for the answer to another command, after a late one was given up. */
	private static final long LAST_CHANCE_NANOS = 20_000_000;

	/** Interval of the timer. */
	private static final long LOOK_NANOS = 50_000_000;

	/** Up to here each answer raises the limit by one, then one of many does. */
	private static final int FIRST_THRESHOLD = 16;

	/** A limit that callers do not reach. */
	private static final int MOST = 10_000;

	private static final int UNLIMITED = Integer.MAX_VALUE;

	/** Number of ended attempts for a judgement. */
	private static final int SAMPLE = 16;

	final String name;

	private final Traffic traffic;

	private final long timeout;

	/**
	 * The commands that wait for their turn: attempts here, releases and abandons below.
	 */
	private final Set<Passage> attempts = new LinkedHashSet<>();

	private final Set<Passage> ends = new LinkedHashSet<>();

	private final Set<Passage> underWay = new LinkedHashSet<>();

	private int limit = UNLIMITED;

	/** Attempts answered in time, and given up, since the last judgement. */
	private int inTime;

	private int late;

	/** About the usual time of an answer; not changed by a silence. */
	private long usualNanos;

	/** Set while the node has answered nothing for long. */
	private boolean silent;

	/** End of its last silence. */
	private long awakeAt = Long.MIN_VALUE;

	/** Time at which it counts as silent, unless it answers before. */
	private long silentAt = Long.MAX_VALUE;

	private long troubledAt;

	/** Set if the last turn was that of a release or an abandon. */
	private boolean ended;

	private @Nullable LongConsumer toldOfWrite;

	private boolean over;

	/** Not zero while a thread sends waiting commands, also for others. */
	private final AtomicInteger wanted = new AtomicInteger();

	NodeTraffic(Traffic traffic, String name, long timeout) {
		this.traffic = traffic;
		this.name = name;
		this.timeout = timeout;
		this.troubledAt = traffic.now();
		traffic.timers().schedule(this, this.troubledAt + LOOK_NANOS);
	}

	/**
	 * Send a command, now or in its turn.
	 * @return false if there is no trouble any more
	 */
	boolean enter(Passage passage) {
		boolean free;
		synchronized (this) {
			if (this.over) {
				return false;
			}
			passage.traffic = this;
			passage.skipped = comesLate(passage);
			free = !passage.skipped && this.underWay.size() < this.limit && this.attempts.isEmpty()
					&& this.ends.isEmpty();
			if (free) {
				begin(passage);
			}
			else if (!passage.skipped) {
				(passage.ends ? this.ends : this.attempts).add(passage);
			}
		}
		if (free) {
			passage.send(true);
		}
		else {
			passage.waits.run();
			abortIfStopped();
		}
		return true;
	}

	private void begin(Passage passage) {
		passage.begunAt = this.traffic.now();
		this.underWay.add(passage);
	}

	/** Withdraw a waiting command; return false if its turn has come. */
	synchronized boolean withdraw(Passage passage) {
		return passage.skipped || (passage.ends ? this.ends : this.attempts).remove(passage);
	}

	/**
	 * A command was answered, or has failed.
	 * @param passage the passage of the command, if it had one
	 * @param answered {@code true} if the node has answered
	 * @param written {@code true} if the node has written
	 */
	void landed(@Nullable Passage passage, boolean answered, boolean written) {
		LongConsumer told = null;
		synchronized (this) {
			if (passage != null) {
				this.underWay.remove(passage);
			}
			if (answered) {
				answered(passage);
				told = written ? this.toldOfWrite : null;
			}
			this.toldOfWrite = (told != null) ? null : this.toldOfWrite;
		}
		if (told != null) {
			told.accept(this.traffic.now());
		}
		sendWaiting();
	}

	private void answered(@Nullable Passage passage) {
		this.silentAt = Long.MAX_VALUE;
		if (this.silent) {
			this.silent = false;
			this.inTime = 0;
			this.late = 0;
			this.awakeAt = this.traffic.now();
		}
		if (this.limit < FIRST_THRESHOLD) {
			this.limit++;
		}
		if (passage != null && !passage.ends) {
			this.inTime += passage.late ? 0 : 1;
			long took = this.traffic.now() - passage.begunAt;
			if (this.usualNanos == 0 || took < this.usualNanos) {
				this.usualNanos = took;
			}
			else if (passage.begunAt >= this.awakeAt) {
				this.usualNanos += (took - this.usualNanos) / 8;
			}
			judge();
		}
	}

	private void judge() {
		if (this.inTime + this.late < SAMPLE) {
			return;
		}
		if (this.late > this.inTime) {
			this.limit = Math.max(LEAST, Math.min(this.limit, this.underWay.size()) * 3 / 4);
		}
		else if (this.limit >= FIRST_THRESHOLD && this.limit < MOST) {
			this.limit += this.limit / 8;
		}
		this.inTime = 0;
		this.late = 0;
	}

	/**
	 * A command was given up without an answer.
	 * @param passage the passage of the command, if it had one
	 * @return {@code true} if its answer is awaited all the same
	 */
	synchronized boolean givenUp(@Nullable Passage passage, long sentAt) {
		this.troubledAt = this.traffic.now();
		if (passage != null && !(passage.late || passage.ends)) {
			this.late++;
		}
		if (!this.silent) {
			judge();
		}
		expectAnswer(sentAt + Math.max(SILENCE_NANOS, 2 * this.usualNanos));
		if (passage == null) {
			return false;
		}
		passage.late = true;
		return this.limit < UNLIMITED && !this.over && this.underWay.contains(passage);
	}

	private void expectAnswer(long until) {
		if (!this.silent && this.silentAt == Long.MAX_VALUE) {
			this.silentAt = Math.max(this.troubledAt + LAST_CHANCE_NANOS, until);
			this.traffic.timers().schedule(this, Math.min(this.silentAt, this.troubledAt + LOOK_NANOS));
		}
	}

	/** Notify a listener when the node has next written. */
	synchronized void awaitWrite(LongConsumer told) {
		this.troubledAt = this.traffic.now();
		this.toldOfWrite = told;
	}

	@Override
	public void fire(long now) {
		List<Passage> overdue = new ArrayList<>();
		synchronized (this) {
			this.underWay.stream().filter((each) -> now - each.begunAt >= this.timeout).forEach(overdue::add);
			if (now >= this.silentAt) {
				this.silent = true;
				this.silentAt = Long.MAX_VALUE;
				this.limit = PROBES;
			}
			this.over |= now - this.troubledAt > this.timeout + SILENCE_NANOS && this.attempts.isEmpty()
					&& this.ends.isEmpty();
			if (!this.over) {
				this.traffic.timers().schedule(this, Math.min(this.silentAt, now + LOOK_NANOS));
			}
		}
		overdue.forEach((passage) -> {
			givenUp(passage, passage.begunAt);
			passage.cancel();
			landed(passage, false, false);
		});
		if (this.over) {
			this.traffic.ended(this);
		}
		sendWaiting();
		abortIfStopped();
	}

	/** Abort if the loop was stopped before the timer was set or a command waited. */
	private void abortIfStopped() {
		if (this.traffic.timers().isStopped()) {
			abort();
		}
	}

	/**
	 * Send waiting commands in a loop on one thread, so that those that end at once do
	 * not call each other.
	 */
	private void sendWaiting() {
		if (this.wanted.getAndIncrement() != 0) {
			return;
		}
		try {
			int done = 1;
			do {
				for (Passage next = next(); next != null; next = next()) {
					sendNext(next);
				}
				done = this.wanted.addAndGet(-done);
			}
			while (done != 0);
		}
		catch (Throwable ex) {
			// For example a full stack: the next caller goes on.
			this.wanted.set(0);
			throw ex;
		}
	}

	/** Send a command. Its failure must not keep the others from their turns. */
	private void sendNext(Passage next) {
		try {
			next.send(false);
		}
		catch (Throwable ex) {
			logger.error("A command could not be sent to the lock store", ex);
			landed(next, false, false);
			next.dropped.run();
		}
	}

	/** Return the command whose turn has come, if any. */
	private synchronized @Nullable Passage next() {
		if (this.underWay.size() >= this.limit) {
			return null;
		}
		skipLate();
		boolean end = this.attempts.isEmpty() || (!this.ended && !this.ends.isEmpty());
		Iterator<Passage> line = (end ? this.ends : this.attempts).iterator();
		if (!line.hasNext()) {
			return null;
		}
		Passage next = line.next();
		begin(next);
		line.remove();
		this.ended = end;
		return next;
	}

	/** Skip attempts whose answers would come too late, so that others have the turn. */
	private void skipLate() {
		Iterator<Passage> each = this.attempts.iterator();
		for (Passage first = next(each); first != null && comesLate(first); first = next(each)) {
			first.skipped = true;
			each.remove();
		}
	}

	private static @Nullable Passage next(Iterator<Passage> each) {
		return each.hasNext() ? each.next() : null;
	}

	/**
	 * Return whether an answer would be late. Some commands are sent in any case, to
	 * learn the time of an answer.
	 */
	private boolean comesLate(Passage passage) {
		return this.limit < UNLIMITED && this.underWay.size() >= PROBES
				&& passage.until < this.traffic.now() + 5 * this.usualNanos / 4;
	}

	/** Drop and cancel all commands, since the loop has no driver any more. */
	@Override
	public void abort() {
		List<Passage> dropped = new ArrayList<>();
		List<Passage> unanswered;
		synchronized (this) {
			this.over = true;
			dropped.addAll(this.attempts);
			dropped.addAll(this.ends);
			unanswered = new ArrayList<>(this.underWay);
			this.attempts.clear();
			this.ends.clear();
		}
		dropped.forEach((passage) -> passage.dropped.run());
		unanswered.forEach(Passage::cancel);
	}

}

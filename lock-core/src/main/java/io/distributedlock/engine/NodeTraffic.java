package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

import io.distributedlock.engine.internal.HeapTimer;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Attempts, releases and abandons for a node that did not answer in time. All that is
 * sent to a node that stands still is in front of what counts when it goes on, and what
 * its callers have given up by then has to be ended as well. So only a few commands at a
 * time are on their way to a node that says nothing. What waits for its turn was never
 * sent, and leaves nothing behind when its caller gives up. Each answer lets more
 * through, until most of them come too late (Jacobson, "Congestion Avoidance and
 * Control", SIGCOMM 1988), and none is sent whose answer would. When all have been in
 * time for a while, this is forgotten. Guarded by its monitor, outside of which commands
 * are sent and cancelled.
 */
final class NodeTraffic extends HeapTimer {

	private static final LockLog logger = LockLog.of(NodeTraffic.class);

	/** How many commands are on their way to a node that says nothing. */
	static final int PROBES = 2;

	/** How many are on their way at least to a node that answers, though late. */
	private static final int LEAST = 8;

	/** How long a node may say nothing, or twice as long as an answer takes. */
	private static final long SILENCE_NANOS = 100_000_000;

	/** Time for the answer to another command, after one was given up for long. */
	private static final long LAST_CHANCE_NANOS = 20_000_000;

	/** How often the timer looks. */
	private static final long LOOK_NANOS = 50_000_000;

	/** After silence each answer lets one more through, and from here on one of many. */
	private static final int FIRST_THRESHOLD = 16;

	/** More than any callers have on their way. */
	private static final int MOST = 10_000;

	private static final int UNLIMITED = Integer.MAX_VALUE;

	/** So many must have ended for a judgement. */
	private static final int SAMPLE = 16;

	final String name;

	private final Traffic traffic;

	private final long timeout;

	/** What waits for its turn: attempts, and what ends something. */
	private final Set<Passage> attempts = new LinkedHashSet<>();

	private final Set<Passage> ends = new LinkedHashSet<>();

	private final Set<Passage> underWay = new LinkedHashSet<>();

	private int limit = UNLIMITED;

	/**
	 * How many were answered in time, and how many given up, since the last judgement.
	 */
	private int inTime;

	private int late;

	/** About how long an answer takes, which a silence does not change. */
	private long usualNanos;

	/** Whether it has answered nothing for long. */
	private boolean silent;

	/** When it has ended its last silence. */
	private long awakeAt = Long.MIN_VALUE;

	/** When it is taken for silent, unless it answers before. */
	private long silentAt = Long.MAX_VALUE;

	private long troubledAt;

	/** Whether the last turn was that of an end. */
	private boolean ended;

	private @Nullable LongConsumer toldOfWrite;

	private boolean over;

	/** Not zero while a thread sends what waits, for others as well. */
	private final AtomicInteger wanted = new AtomicInteger();

	NodeTraffic(Traffic traffic, String name, long timeout) {
		this.traffic = traffic;
		this.name = name;
		this.timeout = timeout;
		this.troubledAt = traffic.now();
		traffic.loop().schedule(this, this.troubledAt + LOOK_NANOS);
	}

	/**
	 * Send a command, now or in its turn.
	 * @return false if there is no trouble any more
	 */
	boolean enter(NodeCommand command) {
		Passage passage = new Passage(this, command);
		boolean free;
		synchronized (this) {
			if (this.over) {
				return false;
			}
			command.entered(passage);
			passage.skipped = comesLate(command);
			free = !passage.skipped && this.underWay.size() < this.limit && this.attempts.isEmpty()
					&& this.ends.isEmpty();
			if (free) {
				begin(passage);
			}
			else if (!passage.skipped) {
				(command.ends() ? this.ends : this.attempts).add(passage);
			}
		}
		if (free) {
			passage.send(true);
		}
		else {
			command.waits();
			abortIfStopped();
		}
		return true;
	}

	private void begin(Passage passage) {
		passage.begunAt = this.traffic.now();
		this.underWay.add(passage);
	}

	/** Take out what waits; false if its turn has come. */
	synchronized boolean withdraw(Passage passage) {
		return passage.skipped || (passage.command.ends() ? this.ends : this.attempts).remove(passage);
	}

	/**
	 * A command was answered, or has failed.
	 * @param passage its way, if it had one
	 * @param answered whether that was by the node
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
		if (passage != null && !passage.command.ends()) {
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
	 * @return whether its answer is waited for all the same
	 */
	synchronized boolean givenUp(@Nullable Passage passage, long sentAt) {
		this.troubledAt = this.traffic.now();
		if (passage != null && !(passage.late || passage.command.ends())) {
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
			this.traffic.loop().schedule(this, Math.min(this.silentAt, this.troubledAt + LOOK_NANOS));
		}
	}

	/** Tell when it has written something. */
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
				this.traffic.loop().schedule(this, Math.min(this.silentAt, now + LOOK_NANOS));
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

	/** The loop may have been stopped before this was set or something waited. */
	private void abortIfStopped() {
		if (this.traffic.loop().isStopped()) {
			abort();
		}
	}

	/** One thread at a time, so that what ends at once sends the next one from here. */
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
			// As of a full stack: the next one goes on.
			this.wanted.set(0);
			throw ex;
		}
	}

	/** What goes wrong with one must not keep the others from their turns. */
	private void sendNext(Passage next) {
		try {
			next.send(false);
		}
		catch (Throwable ex) {
			logger.error("A command could not be sent to the lock store", ex);
			landed(next, false, false);
			next.command.dropped();
		}
	}

	/** What has its turn now. */
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

	/** Those whose answers would come too late leave their turn to others. */
	private void skipLate() {
		Iterator<Passage> each = this.attempts.iterator();
		for (Passage first = next(each); first != null && comesLate(first.command); first = next(each)) {
			first.skipped = true;
			each.remove();
		}
	}

	private static @Nullable Passage next(Iterator<Passage> each) {
		return each.hasNext() ? each.next() : null;
	}

	/** Some are sent in any case, to learn how long an answer takes. */
	private boolean comesLate(NodeCommand command) {
		return this.limit < UNLIMITED && this.underWay.size() >= PROBES
				&& command.until() < this.traffic.now() + 5 * this.usualNanos / 4;
	}

	/** The loop has no driver any more, so nothing waits for its turn or a time-out. */
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
		dropped.forEach((passage) -> passage.command.dropped());
		unanswered.forEach(Passage::cancel);
	}

}

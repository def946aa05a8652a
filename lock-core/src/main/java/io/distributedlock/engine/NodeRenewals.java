package io.distributedlock.engine;

import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.HeapTimer;
import org.jspecify.annotations.Nullable;

/**
 * The renewals that are due at one node of the store: many batches in flight at the same
 * time, but no more than it answers in time. When a pause has brought all leases in step,
 * what was sent at once would wait in the store until the answers come too late. A node
 * that has stopped to answer gets one batch at a time, because all that is sent to it
 * would be in front of the renewals that count when it goes on. So does a node that
 * refuses everything, and that after a pause: it may take writes again for a short time
 * only, and what it has refused is due until then. The lease that ends first goes first.
 * A lease whose turn does not come in the time that an answer has is one that was not
 * answered.
 */
final class NodeRenewals {

	/**
	 * So many take a server that has a processor a millisecond or two. A thirtieth of
	 * 10,000 leases is one batch.
	 */
	static final int BATCH_SIZE = 350;

	static final int MOST_IN_FLIGHT = 24;

	/** How often a node that refuses everything is tried in the time an answer has. */
	private static final int TRIES = 10;

	private static final long SHORTEST_PAUSE_NANOS = 10_000_000;

	/** The thread that drives the loop is seldom so late. */
	private static final long LATE_NANOS = 50_000_000;

	private final Renewals renewals;

	private final String node;

	/**
	 * What is due and not on its way yet, and since when, by patience: a short lease must
	 * not cost long ones their answer. Those of one patience are ordered by the tenth of
	 * a second in which the lease ends. Only the thread that drives the loop comes here.
	 */
	private final TreeMap<Long, TreeMap<Long, Map<Grant, Long>>> due = new TreeMap<>();

	private final AtomicInteger inFlight = new AtomicInteger();

	/** When the node has answered last. */
	private volatile long answeredAt = Long.MIN_VALUE;

	/** When the batch was sent that has been answered or has failed last. */
	private volatile long landedSentAt = Long.MIN_VALUE;

	/** Whether something is due that has to wait for an answer. */
	private volatile boolean waits;

	/** The batches that were refused as a whole, and whose leases are due again. */
	private final Queue<DueBatch> refused = new ConcurrentLinkedQueue<>();

	/** Why the last batch was refused, while the node refuses everything. */
	private volatile @Nullable LockStoreException refusal;

	/** When a node that refuses everything is tried again. */
	private volatile long triedAgainAt;

	/** The loop sends what is due after each of its ticks, so this has nothing to do. */
	private final HeapTimer nextTick = new HeapTimer() {
		@Override
		public void fire(long now) {
		}
	};

	NodeRenewals(Renewals renewals, String node) {
		this.renewals = renewals;
		this.node = node;
	}

	/**
	 * Have a grant renewed.
	 * @return false if it waits for its turn already, and that for its whole patience
	 */
	boolean add(Grant grant, long patience, long now) {
		Map<Grant, Long> slot = slot(grant, patience);
		Long since = slot.putIfAbsent(grant, now);
		if (since == null || now - since < patience) {
			return true;
		}
		slot.put(grant, now);
		return false;
	}

	private Map<Grant, Long> slot(Grant grant, long patience) {
		return this.due.computeIfAbsent(patience, (missing) -> new TreeMap<>())
			.computeIfAbsent(grant.validUntil() / RenewalSlots.SLOT_NANOS, (missing) -> new LinkedHashMap<>());
	}

	/** Why grants wait for their turn, or {@code null} if the node is silent. */
	@Nullable LockStoreException refusal() {
		return this.refusal;
	}

	/** Send what is due, as far as the node keeps up. */
	void flush() {
		while (isAnyDue() && isOpen() && hasPlace()) {
			Map.Entry<Long, TreeMap<Long, Map<Grant, Long>>> first = endsFirst();
			Map<Grant, Long> grants = takeDue(first.getValue());
			if (first.getValue().isEmpty()) {
				this.due.remove(first.getKey());
			}
			if (!grants.isEmpty()) {
				send(new DueBatch(grants, first.getKey()));
			}
		}
	}

	/**
	 * A node that refuses everything is tried with each lease in turn, since it may
	 * refuse some for their own sake.
	 */
	private boolean isAnyDue() {
		if (this.refusal == null || this.due.isEmpty()) {
			for (DueBatch batch = this.refused.poll(); batch != null; batch = this.refused.poll()) {
				batch.comeBack();
			}
		}
		return !this.due.isEmpty();
	}

	/** The patience of the lease that ends first, and all that have the same. */
	private Map.Entry<Long, TreeMap<Long, Map<Grant, Long>>> endsFirst() {
		return Collections.min(this.due.entrySet(),
				Map.Entry.comparingByValue(Comparator.comparing(TreeMap::firstKey)));
	}

	/**
	 * Whether the node may be tried now. If not, its next try or an answer drives the
	 * loop.
	 */
	private boolean isOpen() {
		if (this.refusal != null && this.renewals.instance().now() < this.triedAgainAt) {
			this.waits = true;
			this.renewals.instance().loop.schedule(this.nextTick, this.triedAgainAt);
		}
		return this.refusal == null || this.renewals.instance().now() >= this.triedAgainAt;
	}

	/** Whether a batch can be sent now. If not, what makes a place drives the loop. */
	private boolean hasPlace() {
		if (this.inFlight.get() >= most()) {
			this.waits = true;
			if (this.inFlight.get() >= most()) {
				return false;
			}
		}
		this.waits = false;
		return true;
	}

	private int most() {
		return (this.refusal != null || isSilent()) ? 1 : MOST_IN_FLIGHT;
	}

	/** Whether the node has answered nothing since a batch was sent that has failed. */
	private boolean isSilent() {
		return this.answeredAt < this.landedSentAt;
	}

	/** Nothing is due and nothing on its way. */
	boolean isIdle() {
		return this.due.isEmpty() && this.inFlight.get() == 0 && this.refused.isEmpty();
	}

	/**
	 * The next batch: no more of them than there have to be, and all of about one size.
	 * While a renewal waited, its lease may have ended, and the one before may have been
	 * answered.
	 * @return since when each is due
	 */
	private Map<Grant, Long> takeDue(TreeMap<Long, Map<Grant, Long>> waiting) {
		long now = this.renewals.instance().now();
		int count = waiting.values().stream().mapToInt(Map::size).sum();
		int batches = (count + BATCH_SIZE - 1) / BATCH_SIZE;
		int size = (count + batches - 1) / batches;
		Map<Grant, Long> taken = new LinkedHashMap<>(2 * size);
		while (!waiting.isEmpty() && taken.size() < size) {
			Map<Grant, Long> first = waiting.firstEntry().getValue();
			take(first.entrySet().iterator(), now, size, taken);
			if (first.isEmpty()) {
				waiting.pollFirstEntry();
			}
		}
		return taken;
	}

	private static void take(Iterator<Map.Entry<Grant, Long>> each, long now, int size, Map<Grant, Long> taken) {
		while (each.hasNext() && taken.size() < size) {
			Map.Entry<Grant, Long> next = each.next();
			Grant grant = next.getKey();
			long since = next.getValue();
			each.remove();
			if (grant.isHeld(now) && (grant.renewalDue <= now || grant.isToBeAsked(now))) {
				taken.put(grant, since);
			}
		}
	}

	private void send(DueBatch batch) {
		this.inFlight.incrementAndGet();
		try {
			batch.send();
		}
		catch (Throwable ex) {
			batch.landed();
			throw ex;
		}
	}

	/** The node answers, be it what was sent to it another way. */
	private void answered(long now) {
		this.answeredAt = now;
		this.refusal = null;
		goOn();
	}

	/** A batch was refused as a whole. */
	private void refused(DueBatch batch, LockStoreException cause, long pause) {
		this.triedAgainAt = this.renewals.instance().now() + pause;
		this.refusal = cause;
		this.refused.add(batch);
		this.waits = true;
	}

	/** Have the loop send what waits. */
	private void goOn() {
		if (this.waits) {
			this.waits = false;
			this.renewals.instance().loop.schedule(this.nextTick, 0);
		}
	}

	/** A batch that others may wait for. */
	private final class DueBatch extends RenewalBatch {

		private final Map<Grant, Long> since;

		private final long patience;

		/** Whether the node had refused everything before. */
		private final boolean tries = NodeRenewals.this.refusal != null;

		private volatile @Nullable LockStoreException refusedWith;

		private boolean landed;

		/** Only the thread that drives the loop uses it. */
		private boolean postponed;

		DueBatch(Map<Grant, Long> since, long patience) {
			super(NodeRenewals.this.renewals, List.copyOf(since.keySet()), patience);
			this.since = since;
			this.patience = patience;
		}

		/** Each lease fails in its turn, however often the node is tried. */
		@Override
		void failed(Grant grant, LockStoreException failure, boolean refused) {
			boolean lasting = !refused || failure.getKind() != LockStoreException.Kind.UNAVAILABLE;
			if (!lasting) {
				this.refusedWith = failure;
			}
			if (lasting || !this.tries) {
				super.failed(grant, failure, refused);
			}
		}

		/** They are due as before. */
		void comeBack() {
			long now = NodeRenewals.this.renewals.instance().now();
			this.since.forEach((grant, due) -> {
				if (grant.isHeld(now) && grant.confirmedAt < sentAt()) {
					slot(grant, this.patience).merge(grant, due, Math::min);
				}
			});
		}

		/**
		 * A late time-out tells of a pause of this process or its machine, and the
		 * answers may have come meanwhile. No caller waits for this batch.
		 */
		@Override
		public void fire(long now) {
			long late = now - due();
			if (late > LATE_NANOS && !this.postponed) {
				this.postponed = true;
				postpone(now, late);
			}
			else {
				super.fire(now);
			}
		}

		@Override
		void landed() {
			synchronized (this) {
				if (this.landed) {
					return;
				}
				this.landed = true;
			}
			NodeRenewals.this.landedSentAt = sentAt();
			LockStoreException cause = this.refusedWith;
			if (cause != null && !isAnswered()) {
				refused(this, cause, Math.max(this.patience / TRIES, SHORTEST_PAUSE_NANOS));
				traffic().awaitWrite(NodeRenewals.this.node, NodeRenewals.this::answered);
			}
			else if (isSilent()) {
				comeDueIfTimedOut();
				traffic().unanswered(NodeRenewals.this.node, sentAt());
				traffic().awaitWrite(NodeRenewals.this.node, NodeRenewals.this::answered);
			}
			NodeRenewals.this.inFlight.decrementAndGet();
			goOn();
		}

		@Override
		void firstAnswer(long now) {
			NodeRenewals.this.answered(now);
			traffic().answered(NodeRenewals.this.node);
		}

		private Traffic traffic() {
			return NodeRenewals.this.renewals.instance().traffic;
		}

	}

}

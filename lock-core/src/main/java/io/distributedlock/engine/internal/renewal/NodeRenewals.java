package io.distributedlock.engine.internal.renewal;

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
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.instance.Traffic;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.time.HeapTimer;
import org.jspecify.annotations.Nullable;

/**
 * The renewals that are due at one node of the store. Many batches are in flight at the
 * same time, but no more than the node answers in time. After a pause all leases may be
 * due at once; sent together, they would be answered too late. A silent node gets one
 * batch at a time, because all others would be in front of the renewals that count when
 * it goes on. So does a node that refuses everything, after a pause. It may accept writes
 * only for a short time, and refused renewals are due until then. The lease that ends
 * first goes first. A renewal whose turn does not come within its patience has failed.
 */
final class NodeRenewals {

	/** Tries at a node that refuses everything, within the patience of a batch. */
	private static final int TRIES = 10;

	private static final long SHORTEST_PAUSE_NANOS = 10_000_000;

	/** The thread that drives the loop is seldom so late. */
	private static final long LATE_NANOS = 50_000_000;

	private final Renewals renewals;

	private final String node;

	/**
	 * The grants that are due and not in flight, each with the time since when. They are
	 * grouped by patience, so that a short lease does not cost long ones their answer.
	 * Each group is ordered by the tenth of a second in which the lease ends. Confined to
	 * the thread that drives the loop.
	 */
	private final TreeMap<Long, TreeMap<Long, Map<Grant, Long>>> due = new TreeMap<>();

	private final AtomicInteger inFlight = new AtomicInteger();

	/** Time of the last answer of the node. */
	private volatile long answeredAt = Long.MIN_VALUE;

	/** Send time of the batch that was answered or has failed last. */
	private volatile long landedSentAt = Long.MIN_VALUE;

	/** Set while due grants have to wait for an answer. */
	private volatile boolean waits;

	/** The batches that were refused as a whole, whose grants are due again. */
	private final Queue<DueBatch> refused = new ConcurrentLinkedQueue<>();

	/** The failure of the last batch, while the node refuses everything. */
	private volatile @Nullable LockStoreException refusal;

	/** Time of the next try at a node that refuses everything. */
	private volatile long triedAgainAt;

	/**
	 * A timer that only makes the loop tick: after a tick, the loop sends due renewals.
	 */
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
	 * Add a grant that is due.
	 * @return false if it has waited for its turn for its whole patience
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
			.computeIfAbsent(grant.validUntil() / LockTerms.SLOT_NANOS, (missing) -> new LinkedHashMap<>());
	}

	/**
	 * Return the failure for which grants wait for their turn, or {@code null} if the
	 * node is silent.
	 */
	@Nullable LockStoreException refusal() {
		return this.refusal;
	}

	/** Send the due renewals, as far as the node keeps up. */
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
	 * Return whether any grant is due. Refused batches come back after the others were
	 * tried, since a node may refuse some leases for their own sake.
	 */
	private boolean isAnyDue() {
		if (this.refusal == null || this.due.isEmpty()) {
			for (DueBatch batch = this.refused.poll(); batch != null; batch = this.refused.poll()) {
				batch.comeBack();
			}
		}
		return !this.due.isEmpty();
	}

	/** Return the patience of the lease that ends first, with all grants that have it. */
	private Map.Entry<Long, TreeMap<Long, Map<Grant, Long>>> endsFirst() {
		return Collections.min(this.due.entrySet(),
				Map.Entry.comparingByValue(Comparator.comparing(TreeMap::firstKey)));
	}

	/**
	 * Return whether the node may be tried now. If not, its next try or an answer drives
	 * the loop.
	 */
	private boolean isOpen() {
		if (this.refusal != null && this.renewals.instance().now() < this.triedAgainAt) {
			this.waits = true;
			this.renewals.instance().timers.schedule(this.nextTick, this.triedAgainAt);
		}
		return this.refusal == null || this.renewals.instance().now() >= this.triedAgainAt;
	}

	/**
	 * Return whether a batch can be sent now. If not, the next one that lands drives the
	 * loop.
	 */
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
		return (this.refusal != null || isSilent()) ? 1 : Renewals.MOST_IN_FLIGHT;
	}

	/** Return whether the node has not answered since a failed batch was sent. */
	private boolean isSilent() {
		return this.answeredAt < this.landedSentAt;
	}

	/** Return whether no grant is due and no batch is in flight. */
	boolean isIdle() {
		return this.due.isEmpty() && this.inFlight.get() == 0 && this.refused.isEmpty();
	}

	/**
	 * Take the next batch. The grants make as few batches as possible, all of about one
	 * size. While a renewal waited, its lease may have ended, or an earlier renewal may
	 * have been answered.
	 * @return the grants, each with the time since when it is due
	 */
	private Map<Grant, Long> takeDue(TreeMap<Long, Map<Grant, Long>> waiting) {
		long now = this.renewals.instance().now();
		int count = waiting.values().stream().mapToInt(Map::size).sum();
		int batches = (count + Renewals.BATCH_SIZE - 1) / Renewals.BATCH_SIZE;
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
			if (grant.isHeld(now) && (grant.renewalDue() <= now || grant.isToBeAsked(now))) {
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

	/** The node has answered a renewal or another command. */
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

	/** Have the loop send the waiting renewals. */
	private void goOn() {
		if (this.waits) {
			this.waits = false;
			this.renewals.instance().timers.schedule(this.nextTick, 0);
		}
	}

	/** A batch for which other batches may wait. */
	private final class DueBatch extends RenewalBatch {

		private final Map<Grant, Long> since;

		private final long patience;

		/** {@code true} if the node had refused everything before. */
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

		/**
		 * Report a failure, but not each refusal by a node that is tried again. Then a
		 * lease fails when its wait for a turn is over.
		 */
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

		/** Make the grants due again, each since its former time. */
		void comeBack() {
			long now = NodeRenewals.this.renewals.instance().now();
			this.since.forEach((grant, due) -> {
				if (grant.isHeld(now) && grant.confirmedAt() < sentAt()) {
					slot(grant, this.patience).merge(grant, due, Math::min);
				}
			});
		}

		/**
		 * Postpone a late time-out once: this process or its machine was paused, and the
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

package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.engine.timer.HeapTimer;

/**
 * The renewals that are due at one node of the store: many batches in flight at the same
 * time, but no more than it answers in time. When a pause has brought all leases in step,
 * what was sent at once would wait in the store until the answers come too late. A node
 * that has stopped to answer gets one batch at a time, because all that is sent to it
 * would be in front of the renewals that count when it goes on. The lease that ends first
 * goes first. A lease whose turn does not come in the time that an answer has is one that
 * was not answered.
 */
final class NodeRenewals {

	/**
	 * So many take a server that has a processor a millisecond or two. A thirtieth of
	 * 10,000 leases is one batch.
	 */
	static final int BATCH_SIZE = 350;

	static final int MOST_IN_FLIGHT = 24;

	/** The thread that drives the loop is seldom so late. */
	private static final long LATE_NANOS = 50_000_000;

	private final Renewals renewals;

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

	/** The loop sends what is due after each of its ticks, so this has nothing to do. */
	private final HeapTimer nextTick = new HeapTimer() {
		@Override
		public void fire(long now) {
		}
	};

	NodeRenewals(Renewals renewals) {
		this.renewals = renewals;
	}

	/**
	 * Have a grant renewed.
	 * @return false if it waits for its turn already, and that for its whole patience
	 */
	boolean add(Grant grant, long patience, long now) {
		Map<Grant, Long> slot = this.due.computeIfAbsent(patience, (missing) -> new TreeMap<>())
			.computeIfAbsent(grant.validUntil() / RenewalSlots.SLOT_NANOS, (missing) -> new LinkedHashMap<>());
		Long since = slot.putIfAbsent(grant, now);
		if (since == null || now - since < patience) {
			return true;
		}
		slot.put(grant, now);
		return false;
	}

	/** Send what is due, as far as the node keeps up. */
	void flush() {
		while (!this.due.isEmpty() && hasPlace()) {
			Map.Entry<Long, TreeMap<Long, Map<Grant, Long>>> first = endsFirst();
			List<Grant> grants = takeDue(first.getValue());
			if (first.getValue().isEmpty()) {
				this.due.remove(first.getKey());
			}
			if (!grants.isEmpty()) {
				send(new DueBatch(grants, first.getKey()));
			}
		}
	}

	/** The patience of the lease that ends first, and all that have the same. */
	private Map.Entry<Long, TreeMap<Long, Map<Grant, Long>>> endsFirst() {
		return Collections.min(this.due.entrySet(),
				Map.Entry.comparingByValue(Comparator.comparing(TreeMap::firstKey)));
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
		return isSilent() ? 1 : MOST_IN_FLIGHT;
	}

	/** Whether the node has answered nothing since a batch was sent that has failed. */
	private boolean isSilent() {
		return this.answeredAt < this.landedSentAt;
	}

	/** Nothing is due and nothing on its way. */
	boolean isIdle() {
		return this.due.isEmpty() && this.inFlight.get() == 0;
	}

	/**
	 * The next batch: no more of them than there have to be, and all of about one size.
	 * While a renewal waited, its lease may have ended, and the one before may have been
	 * answered.
	 */
	private List<Grant> takeDue(TreeMap<Long, Map<Grant, Long>> waiting) {
		long now = this.renewals.instance().now();
		int count = waiting.values().stream().mapToInt(Map::size).sum();
		int batches = (count + BATCH_SIZE - 1) / BATCH_SIZE;
		int size = (count + batches - 1) / batches;
		List<Grant> taken = new ArrayList<>(size);
		while (!waiting.isEmpty() && taken.size() < size) {
			Map<Grant, Long> first = waiting.firstEntry().getValue();
			take(first.keySet().iterator(), now, size, taken);
			if (first.isEmpty()) {
				waiting.pollFirstEntry();
			}
		}
		return taken;
	}

	private static void take(Iterator<Grant> each, long now, int size, List<Grant> taken) {
		while (each.hasNext() && taken.size() < size) {
			Grant grant = each.next();
			each.remove();
			if (grant.isHeld(now) && (grant.renewalDue <= now || grant.isInDoubt())) {
				taken.add(grant);
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

	/** A batch that others may wait for. */
	private final class DueBatch extends RenewalBatch {

		private boolean landed;

		/** Only the thread that drives the loop uses it. */
		private boolean postponed;

		DueBatch(List<Grant> grants, long patience) {
			super(NodeRenewals.this.renewals, grants, patience);
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
			if (isSilent()) {
				comeDueIfTimedOut();
			}
			NodeRenewals.this.inFlight.decrementAndGet();
			goOn();
		}

		@Override
		void firstAnswer(long now) {
			NodeRenewals.this.answeredAt = now;
			goOn();
		}

		private void goOn() {
			if (NodeRenewals.this.waits) {
				NodeRenewals.this.waits = false;
				NodeRenewals.this.renewals.instance().loop.schedule(NodeRenewals.this.nextTick, 0);
			}
		}

	}

}

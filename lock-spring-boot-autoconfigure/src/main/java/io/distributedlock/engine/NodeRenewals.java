package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.engine.timer.HeapTimer;

/**
 * The renewals that are due at one node of the store: many batches in flight at the same
 * time, but no more than it answers in time. When a pause has brought all leases in step,
 * what was sent at once would wait in the store until the answers come too late.
 */
final class NodeRenewals {

	/**
	 * So many take a server that has a processor a millisecond or two. A thirtieth of
	 * 10,000 leases is one batch.
	 */
	static final int BATCH_SIZE = 350;

	static final int MOST_IN_FLIGHT = 24;

	private final Renewals renewals;

	/**
	 * What is due and not on its way yet, by patience, the shortest first: a short lease
	 * must not cost long ones their answer, nor wait for them. Only the thread that
	 * drives the loop comes here.
	 */
	private final TreeMap<Long, Set<Grant>> due = new TreeMap<>();

	private final AtomicInteger inFlight = new AtomicInteger();

	/** The loop sends what is due after each of its ticks, so this has nothing to do. */
	private final HeapTimer nextTick = new HeapTimer() {
		@Override
		public void fire(long now) {
		}
	};

	NodeRenewals(Renewals renewals) {
		this.renewals = renewals;
	}

	void add(Grant grant, long patience) {
		this.due.computeIfAbsent(patience, (missing) -> new LinkedHashSet<>()).add(grant);
	}

	/** Send what is due, as far as the node keeps up. */
	void flush() {
		while (!this.due.isEmpty() && this.inFlight.get() < MOST_IN_FLIGHT) {
			Map.Entry<Long, Set<Grant>> first = this.due.firstEntry();
			List<Grant> grants = takeHeld(first.getValue());
			if (first.getValue().isEmpty()) {
				this.due.remove(first.getKey());
			}
			if (!grants.isEmpty()) {
				send(new DueBatch(grants, first.getKey()));
			}
		}
	}

	/** Nothing is due and nothing on its way. */
	boolean isIdle() {
		return this.due.isEmpty() && this.inFlight.get() == 0;
	}

	/**
	 * The next batch: no more of them than there have to be, and all of about one size. A
	 * lease may have ended while its renewal waited.
	 */
	private List<Grant> takeHeld(Set<Grant> waiting) {
		long now = this.renewals.instance().now();
		int batches = (waiting.size() + BATCH_SIZE - 1) / BATCH_SIZE;
		int size = (waiting.size() + batches - 1) / batches;
		List<Grant> taken = new ArrayList<>(size);
		for (Iterator<Grant> each = waiting.iterator(); each.hasNext() && taken.size() < size;) {
			Grant grant = each.next();
			each.remove();
			if (grant.isHeld(now)) {
				taken.add(grant);
			}
		}
		return taken;
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

		DueBatch(List<Grant> grants, long patience) {
			super(NodeRenewals.this.renewals, grants, patience);
		}

		@Override
		void landed() {
			synchronized (this) {
				if (this.landed) {
					return;
				}
				this.landed = true;
			}
			if (NodeRenewals.this.inFlight.getAndDecrement() == MOST_IN_FLIGHT) {
				NodeRenewals.this.renewals.instance().loop.schedule(NodeRenewals.this.nextTick, 0);
			}
		}

	}

}

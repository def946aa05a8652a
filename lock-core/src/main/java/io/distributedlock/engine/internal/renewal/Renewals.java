package io.distributedlock.engine.internal.renewal;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.lease.RenewalHistory;
import io.distributedlock.engine.internal.report.LockEvents;
import org.jspecify.annotations.Nullable;

/**
 * The renewals of this instance. A renewal is due a third of the ttl after the last
 * confirmed command, then every sixth until one is confirmed or the validity ends. If
 * very many would be due together, some are sent earlier, but not before a sixth.
 * Renewals that are due together go to the store in batches. Each node has its own
 * batches, so that a slow or absent node delays only its own renewals.
 */
public final class Renewals {

	/**
	 * A batch of this size costs a server about 1 to 2 ms. A thirtieth of 10,000 leases
	 * is one batch.
	 */
	public static final int BATCH_SIZE = 350;

	/** The most batches in flight to a node that answers. */
	public static final int MOST_IN_FLIGHT = 24;

	private final Instance instance;

	private final LockEvents events;

	/** Confined to the thread that drives the loop. */
	private final Map<String, NodeRenewals> nodes = new HashMap<>();

	private final RenewalSlots slots = new RenewalSlots(BATCH_SIZE);

	public Renewals(Instance instance, LockEvents events) {
		this.instance = instance;
		this.events = events;
	}

	/** The timer of a held grant has fired. */
	public void due(Grant grant, long now) {
		long patience;
		// An extend in between would leave the timer at a time after the new end.
		synchronized (grant) {
			patience = plan(grant, now);
		}
		if (patience > 0) {
			NodeRenewals node = this.nodes.computeIfAbsent(this.instance.store.nodeOf(grant.keys().get(0)),
					(missing) -> new NodeRenewals(this, missing));
			if (!node.add(grant, patience, now)) {
				failed(grant, failure("renew", grant, node.refusal()));
			}
		}
	}

	/**
	 * Set the timer to the next time at which a grant needs anything.
	 * @return the time for which a renewal may wait for its turn now; zero if none is due
	 */
	private long plan(Grant grant, long now) {
		long validUntil = grant.validUntil();
		if (now < grant.renewalDue() && grant.wantsRenewal(now) && !grant.isToBeAsked(now)) {
			grant.renewAt(Math.min(this.slots.take(now, grant.renewalDue()), validUntil));
			if (grant.isInDoubt()) {
				// A clock jump was noticed meanwhile, and must not be overruled.
				grant.renewAt(now);
			}
		}
		else if (grant.wantsRenewal(now) || grant.isToBeAsked(now)) {
			// Plan the next try before this one is sent. A lease that was handed on may
			// be shorter.
			long pause = Math.min(grant.ttlNanos() / 6, (validUntil - grant.confirmedAt()) / 4);
			// Grants of equal patience share a batch, so patience has no jitter.
			long patience = Math.min(patience(grant), pause);
			if (now < grant.renewalDue() || !grant.wantsRenewal(now)) {
				pause = Math.min(pause, this.instance.askPause());
			}
			grant.schedule(Math.min(now + pause, validUntil));
			return Math.max(1, patience);
		}
		else {
			grant.plan(validUntil);
		}
		return 0;
	}

	/** Send the renewals that have come due, as far as each node keeps up. */
	public void flush() {
		for (Iterator<NodeRenewals> each = this.nodes.values().iterator(); each.hasNext();) {
			NodeRenewals node = each.next();
			node.flush();
			if (node.isIdle()) {
				each.remove();
			}
		}
	}

	/**
	 * Return the time for which other batches wait for the answer, and the grant for its
	 * turn.
	 */
	private long patience(Grant grant) {
		return Math.min(grant.patience(), grant.ttlNanos() / 6);
	}

	/**
	 * The store has confirmed a renewal or an extend.
	 * @param sent the history with which it was sent
	 */
	void renewed(Grant grant, RenewalHistory sent, long sentAt, long ttlNanos) {
		this.instance.counters.renewals.increment();
		grant.renewalFailed(null);
		if (grant.confirmed(sent, sentAt, sentAt + ttlNanos - LockTerms.drift(ttlNanos))) {
			grant.scheduleRenewal(sentAt);
		}
	}

	/**
	 * Have the store confirm grants that are in doubt.
	 * @param grants at least one
	 * @return completes when the store has answered for all, or at the time-out
	 */
	public CompletableFuture<Void> confirm(List<Grant> grants) {
		CompletableFuture<Void> answered = new CompletableFuture<>();
		new RenewalBatch(this, grants, grants.get(0).patience()) {
			@Override
			void landed() {
				answered.complete(null);
			}
		}.send();
		return answered;
	}

	/**
	 * Renew a grant for a re-entrant holder who wants a longer lease, or finds it in
	 * doubt.
	 * @param longer {@code true} if it wants more than to have the lease confirmed
	 * @return completes with the failure of the renewal, or with {@code null}
	 */
	public CompletableFuture<@Nullable LockStoreException> lengthen(Grant grant, boolean longer) {
		CompletableFuture<@Nullable LockStoreException> lengthened = new CompletableFuture<>();
		new RenewalBatch(this, List.of(grant),
				(held) -> longer ? held.ttlNanos() : held.renewalNanos(this.instance.now()), grant.patience()) {
			@Override
			void settled(Grant held, @Nullable LockStoreException failure) {
				lengthened.complete(failure);
			}
		}.send();
		return lengthened;
	}

	/** Return the failure of a renewal or an extend that was not confirmed. */
	LockStoreException failure(String verb, Grant grant, @Nullable Throwable ex) {
		return Failure.ofStore(this.instance.store, verb, grant.keys(), ex);
	}

	/**
	 * Handle an unconfirmed renewal. A lease that is not renewed does not depend on it.
	 */
	void failed(Grant grant, LockStoreException failure) {
		this.instance.counters.failed(failure);
		if (!grant.wantsRenewal(this.instance.now()) && !grant.isInDoubt()) {
			return;
		}
		this.instance.counters.failedRenewals.increment();
		boolean endangered = grant.renewalFailed(failure);
		this.events.renewalFailed(grant, failure);
		if (endangered) {
			this.instance.counters.endangered.increment();
			grant.allHolds().forEach((hold) -> hold.endangered(failure));
			this.events.endangered(grant, failure);
		}
	}

	Instance instance() {
		return this.instance;
	}

}

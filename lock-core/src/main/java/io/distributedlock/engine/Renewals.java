package io.distributedlock.engine;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * When leases are renewed: a third of the ttl after the last command that was confirmed,
 * and then every sixth until one is or the validity ends; that of a claim at once. Where
 * very many would come due together, the first attempts of some are earlier, after a
 * sixth at the earliest. What is due together goes to the store in batches, those of one
 * node apart from those of all others, so that a node that is slow or away delays nothing
 * but its own.
 */
final class Renewals {

	private final Instance instance;

	private final LockEvents events;

	/** Only the thread that drives the loop comes here. */
	private final Map<String, NodeRenewals> nodes = new HashMap<>();

	private final RenewalSlots slots = new RenewalSlots(NodeRenewals.BATCH_SIZE);

	Renewals(Instance instance, LockEvents events) {
		this.instance = instance;
		this.events = events;
	}

	/** The timer of a held grant has fired. */
	void due(Grant grant, long now) {
		long validUntil = grant.validUntil();
		if (now < grant.renewalDue && grant.wantsRenewal(now) && !grant.isToBeAsked(now)) {
			grant.renewAt(Math.min(this.slots.take(now, grant.renewalDue), validUntil));
			if (grant.isInDoubt()) {
				// A jump of a clock was noticed meanwhile, and is not to be overruled.
				grant.renewAt(now);
			}
		}
		else if (grant.wantsRenewal(now) || grant.isToBeAsked(now)) {
			// First the next attempt, whatever comes of this one. A claim is short.
			long pause = Math.min(grant.ttlNanos() / 6, (validUntil - grant.confirmedAt) / 4);
			// Those that wait alike are sent together, so the jitter must not divide
			// them.
			long patience = Math.min(patience(grant), pause);
			if (now < grant.renewalDue || !grant.wantsRenewal(now)) {
				pause = Math.min(pause, this.instance.askPause());
			}
			grant.schedule(Math.min(now + pause, validUntil));
			NodeRenewals node = this.nodes.computeIfAbsent(this.instance.store.nodeOf(grant.keys().get(0)),
					(missing) -> new NodeRenewals(this, missing));
			if (!node.add(grant, patience, now)) {
				failed(grant, failure("renew", grant, node.refusal()));
			}
		}
		else {
			grant.plan(validUntil);
		}
	}

	/** Send what has come due, as far as each node keeps up. */
	void flush() {
		for (Iterator<NodeRenewals> each = this.nodes.values().iterator(); each.hasNext();) {
			NodeRenewals node = each.next();
			node.flush();
			if (node.isIdle()) {
				each.remove();
			}
		}
	}

	/** How long others wait for the answer, and the next try for its turn. */
	private long patience(Grant grant) {
		return Math.min(grant.patience(), grant.ttlNanos() / 6);
	}

	/**
	 * The store has confirmed a renewal or an extend.
	 * @param sent what it was sent with
	 */
	void renewed(Grant grant, RenewalHistory sent, long sentAt, long ttlNanos) {
		this.instance.counters.renewals.increment();
		grant.renewalFailed(null);
		if (grant.confirmed(sent, sentAt, sentAt + ttlNanos - LockTerms.drift(ttlNanos))) {
			grant.scheduleRenewal(sentAt);
		}
	}

	/**
	 * Have grants confirmed that are in doubt.
	 * @param grants at least one
	 * @return completes when the store has answered for all, or has not in time
	 */
	CompletableFuture<Void> confirm(List<Grant> grants) {
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
	 * doubt, and then let it in.
	 * @param longer whether it wants more than to have the lease confirmed
	 */
	void lengthen(Grant grant, GrantLease lease, Waiter waiter, boolean longer) {
		new RenewalBatch(this, List.of(grant),
				(held) -> longer ? held.ttlNanos() : held.renewalNanos(this.instance.now()), grant.patience()) {
			@Override
			void settled(Grant held, @Nullable LockStoreException failure) {
				if (failure == null && held.isConfirmed(instance().now()) && waiter.settle(lease)) {
					return;
				}
				lease.drop();
				waiter.settle((failure != null) ? () -> Failure.ofStore(failure) : () -> held.loss(false));
			}
		}.send();
	}

	/** Why a renewal or an extend was not confirmed. */
	LockStoreException failure(String verb, Grant grant, @Nullable Throwable ex) {
		return Failure.ofStore(this.instance.store, verb, grant.keys(), ex);
	}

	/** A renewal was not confirmed. A lease that is not renewed does not depend on it. */
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
			grant.leases().forEach((lease) -> lease.endangered(failure));
			this.events.endangered(grant, failure);
		}
	}

	Instance instance() {
		return this.instance;
	}

}

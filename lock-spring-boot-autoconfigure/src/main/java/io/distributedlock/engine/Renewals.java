package io.distributedlock.engine;

import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * When leases are renewed: first after a third of the ttl, then every sixth until the
 * validity ends. What is due together goes to the store in batches, those of one node
 * apart from those of all others, so that a node that is slow or away delays nothing but
 * its own.
 */
final class Renewals {

	/** Renewals are due at multiples of this, or of a thirtieth of a short ttl. */
	private static final long GRID_NANOS = 100_000_000;

	private final Instance instance;

	private final LockEvents events;

	/** Only the thread that drives the loop comes here. */
	private final Map<String, NodeRenewals> nodes = new HashMap<>();

	Renewals(Instance instance, LockEvents events) {
		this.instance = instance;
		this.events = events;
	}

	/** A lock was acquired. Called before the lease is visible. */
	void register(Grant grant, long sentAt) {
		schedule(grant, sentAt);
	}

	/** A jump may have set the timer meanwhile, and must not be overruled. */
	private void schedule(Grant grant, long sentAt) {
		grant.schedule(firstDue(grant, sentAt));
		if (grant.isInDoubt()) {
			grant.schedule(sentAt);
		}
	}

	private long firstDue(Grant grant, long sentAt) {
		long validUntil = grant.validUntil();
		if (!grant.wantsRenewal(this.instance.now())) {
			return validUntil;
		}
		long grid = Math.min(GRID_NANOS, grant.ttlNanos() / 30);
		return Math.min((sentAt + grant.ttlNanos() / 3) / grid * grid, validUntil);
	}

	/** The timer of a held grant has fired. */
	void due(Grant grant, long now) {
		long validUntil = grant.validUntil();
		if (grant.wantsRenewal(now) || grant.isInDoubt()) {
			// First the next attempt, whatever comes of this one.
			grant.schedule(Math.min(now + grant.ttlNanos() / 6, validUntil));
			String node = this.instance.store.nodeOf(grant.keys().get(0));
			this.nodes.computeIfAbsent(node, (missing) -> new NodeRenewals(this)).add(grant, patience(grant));
		}
		else {
			grant.schedule(validUntil);
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

	/** The store has confirmed a renewal that was sent at that time. */
	void renewed(Grant grant, long sentAt, long ttlNanos) {
		grant.renewalFailed(null);
		if (grant.extend(this.instance.now(), sentAt, sentAt + ttlNanos - LockTerms.drift(ttlNanos))) {
			schedule(grant, sentAt);
		}
	}

	/**
	 * Have a grant confirmed that is in doubt.
	 * @return completes when the store has answered, or has not in time
	 */
	CompletableFuture<Void> confirm(Grant grant) {
		CompletableFuture<Void> answered = new CompletableFuture<>();
		new RenewalBatch(this, List.of(grant), grant.patience()) {
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
		long ttl = longer ? grant.ttlNanos() : grant.renewalNanos(this.instance.now());
		new RenewalBatch(this, List.of(grant), (held) -> ttl, grant.patience()) {
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

	/** A renewal was not confirmed. */
	LockStoreException failed(Grant grant, @Nullable Throwable ex) {
		LockStoreException failure = Failure.ofStore(this.instance.store, "renew", grant.keys(), ex);
		grant.renewalFailed(failure);
		this.events.renewalFailed(grant, failure);
		return failure;
	}

	Instance instance() {
		return this.instance;
	}

}

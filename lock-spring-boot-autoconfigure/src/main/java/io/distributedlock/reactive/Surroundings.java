package io.distributedlock.reactive;

import java.util.Set;

/** The transaction around a subscription when it requests its lock, or nothing. */
interface Surroundings {

	Surroundings NOTHING = new Surroundings() {

		@Override
		public Set<ReactiveOwner> kept() {
			return Set.of();
		}

		@Override
		public void keep(SubscriptionLease lease, ReactiveOwner owner) {
			// Nothing outlives the body.
		}

	};

	/** A live view of the owners whose bodies have ended, but whose leases have not. */
	Set<ReactiveOwner> kept();

	/** Keep a lease that has just been acquired. */
	void keep(SubscriptionLease lease, ReactiveOwner owner);

}

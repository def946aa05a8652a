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

	/**
	 * Owners whose bodies have ended, but whose leases have not.
	 * @return a live view
	 */
	Set<ReactiveOwner> kept();

	/**
	 * Keep a lease that has just been acquired.
	 * @param lease the lease
	 * @param owner its owner
	 */
	void keep(SubscriptionLease lease, ReactiveOwner owner);

}

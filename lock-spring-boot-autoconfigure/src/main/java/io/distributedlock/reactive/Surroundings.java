package io.distributedlock.reactive;

import java.util.Set;

/**
 * What is around a subscription as it asks for its lock: nothing, or a transaction.
 */
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
	 * @param owner who owns it
	 */
	void keep(SubscriptionLease lease, ReactiveOwner owner);

}

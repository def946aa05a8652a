package io.distributedlock.redlock;

import java.util.EnumSet;
import java.util.Set;

import io.distributedlock.store.StoreCapability;
import io.distributedlock.test.store.DelegatingLockStore;

/**
 * A quorum that offers fair locks as well, for the contract suites. Its lines may differ
 * from node to node, but fair commands for a lock that is free or held are those of an
 * exclusive one.
 */
final class WithFairLocks extends DelegatingLockStore {

	WithFairLocks(RedlockLockStore quorum) {
		super(quorum);
	}

	@Override
	public Set<StoreCapability> capabilities() {
		Set<StoreCapability> all = EnumSet.copyOf(super.capabilities());
		all.add(StoreCapability.FAIR);
		return all;
	}

}

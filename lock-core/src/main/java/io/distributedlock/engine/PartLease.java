package io.distributedlock.engine;

import java.util.List;

import io.distributedlock.store.LockKey;

/** A lease on some of the keys that a grant holds together. */
final class PartLease extends GrantLease {

	private final List<LockKey> keys;

	PartLease(Grant grant, boolean owned, boolean tellsLoss, List<LockKey> keys) {
		super(grant, owned, tellsLoss);
		this.keys = keys;
	}

	@Override
	List<LockKey> lockKeys() {
		return this.keys;
	}

}

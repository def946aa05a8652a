package io.distributedlock.engine;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockOwner;
import org.jspecify.annotations.Nullable;

/** The leases on one grant that was entered more than once. Guarded by the queue. */
final class LeaseChain {

	private LeaseChain() {
	}

	/**
	 * Return whether a request of one owner may enter a lock of another, or of itself.
	 */
	static boolean mayEnter(@Nullable Object requester, @Nullable Object owner) {
		if (requester == null || owner == null || requester == owner) {
			return requester != null && owner != null;
		}
		return (requester instanceof LockOwner asked) ? asked.enters(owner) : requester.equals(owner);
	}

	/** Remove a lease that is not the first one. */
	static @Nullable GrantLease without(GrantLease lease, @Nullable GrantLease first) {
		for (GrantLease other = first; other != null; other = other.next) {
			if (other.next == lease) {
				other.next = lease.next;
				break;
			}
		}
		return first;
	}

	/**
	 * Return whether a lease belongs to an owner. Mostly the first one does, which was
	 * entered last.
	 */
	static boolean hasOwned(@Nullable GrantLease first) {
		GrantLease lease = first;
		while (lease != null && !lease.isOwned()) {
			lease = lease.next;
		}
		return lease != null;
	}

	static List<GrantLease> list(@Nullable GrantLease first) {
		List<GrantLease> all = new ArrayList<>();
		for (GrantLease lease = first; lease != null; lease = lease.next) {
			all.add(lease);
		}
		return all;
	}

}

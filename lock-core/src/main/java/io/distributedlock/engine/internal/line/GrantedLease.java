package io.distributedlock.engine.internal.line;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.Lease;
import io.distributedlock.TemplateLease;

/** A lease of one grant, or of several of one instance. */
public interface GrantedLease extends TemplateLease {

	/** Return the leases of the grants, at least one. */
	List<GrantLease> parts();

	@Override
	default void checkCommit() {
		GrantLease.checkCommit(parts());
	}

	@Override
	default List<Lease> checkCommit(List<Lease> others) {
		Set<GrantLease> together = new LinkedHashSet<>(parts());
		List<Lease> left = new ArrayList<>();
		for (Lease other : others) {
			if (other instanceof GrantedLease granted && granted.parts().get(0).isBeside(parts().get(0))) {
				together.addAll(granted.parts());
			}
			else {
				left.add(other);
			}
		}
		GrantLease.checkCommit(together);
		return left;
	}

}

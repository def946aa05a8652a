package io.distributedlock.reactive;

import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * Owns the lease of one subscription. The engine asks an owner that wants a lock whether
 * it equals the one that has it, and that is answered by descent: a subscription enters
 * the locks of those around it, and those that their transaction keeps. Siblings are not
 * equal, so two branches of one chain exclude each other. Deliberately not symmetric.
 */
final class ReactiveOwner {

	private final @Nullable Object known;

	private final @Nullable ReactiveOwner outer;

	private final Set<ReactiveOwner> kept;

	/**
	 * Create an owner.
	 * @param known the owner that the request has itself
	 * @param outer the owner of the subscription around this one
	 * @param kept owners whose bodies have ended, and whose leases the transaction keeps
	 */
	ReactiveOwner(@Nullable Object known, @Nullable ReactiveOwner outer, Set<ReactiveOwner> kept) {
		this.known = known;
		this.outer = outer;
		this.kept = kept;
	}

	/** Who owns the lease as far as the engine is concerned. */
	Object asOwner() {
		return (this.known != null) ? this.known : this;
	}

	@Override
	public boolean equals(@Nullable Object holder) {
		if (holder == null) {
			return false;
		}
		for (ReactiveOwner owner = this; owner != null; owner = owner.outer) {
			if (owner.asOwner() == holder) {
				return true;
			}
		}
		return this.kept.stream().anyMatch((owner) -> owner.asOwner() == holder);
	}

	@Override
	public int hashCode() {
		return System.identityHashCode(this);
	}

}

package io.distributedlock.reactive;

import java.util.Set;

import io.distributedlock.LockOwner;
import org.jspecify.annotations.Nullable;

/**
 * The owner of the lease of one subscription. The subscription enters the locks of the
 * subscriptions around it, and the locks that their transaction keeps. Two branches of
 * one chain exclude each other.
 */
final class ReactiveOwner implements LockOwner {

	/** The owner in the engine, or {@code null} if it is this object. */
	private final @Nullable Object known;

	private final @Nullable ReactiveOwner outer;

	/** Owners whose bodies have ended, and whose leases the transaction keeps. */
	private final Set<ReactiveOwner> kept;

	ReactiveOwner(@Nullable Object known, @Nullable ReactiveOwner outer, Set<ReactiveOwner> kept) {
		this.known = known;
		this.outer = outer;
		this.kept = kept;
	}

	/** The owner of the lease in the engine. */
	Object asOwner() {
		return (this.known != null) ? this.known : this;
	}

	@Override
	public boolean enters(Object holder) {
		for (ReactiveOwner owner = this; owner != null; owner = owner.outer) {
			if (owner.asOwner() == holder) {
				return true;
			}
		}
		return this.kept.stream().anyMatch((owner) -> owner.asOwner() == holder);
	}

}

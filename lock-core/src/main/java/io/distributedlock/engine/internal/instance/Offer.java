package io.distributedlock.engine.internal.instance;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.CommitCheck;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import org.jspecify.annotations.Nullable;

/** The capabilities of a store, read once. */
public final class Offer {

	private final LockStore store;

	private final Set<StoreCapability> capabilities;

	/** The check before a commit, {@code null} if only the lease is checked. */
	public final @Nullable CommitCheck commitCheck;

	private final boolean keySets;

	private final boolean wakeUps;

	private final boolean claims;

	Offer(LockStore store) {
		this.store = store;
		this.capabilities = Set.copyOf(store.capabilities());
		this.commitCheck = store.commitCheck();
		this.keySets = this.capabilities.contains(StoreCapability.KEY_SETS);
		this.wakeUps = this.capabilities.contains(StoreCapability.WAKE_UPS);
		this.claims = this.wakeUps && this.capabilities.contains(StoreCapability.CLAIMS);
	}

	/** Return whether keys have to be acquired one by one. */
	public boolean divides(List<LockKey> keys) {
		return keys.size() > 1 && !(this.keySets && this.store.takesTogether(keys));
	}

	public boolean hasWakeUps() {
		return this.wakeUps;
	}

	/** Return whether a release gives the lock to the first waiter. */
	boolean hasClaims() {
		return this.claims;
	}

	/**
	 * Return the reason why there are no locks of a mode, or {@code null} if there are.
	 */
	public @Nullable String objection(LockMode mode) {
		return has(mode) ? null : "%s offers only locks of mode %s".formatted(this.store.getClass().getName(),
				String.join(", ", Arrays.stream(LockMode.values()).filter(this::has).map(LockMode::name).toList()));
	}

	private boolean has(LockMode mode) {
		StoreCapability needed = StoreCapability.of(mode);
		return needed == null || has(needed);
	}

	/**
	 * Refuse what a store without a capability cannot do.
	 * @param what the action, as a message names it
	 * @param remedy the remedy, as a clause
	 */
	public void require(StoreCapability needed, List<LockKey> keys, String what, String remedy) {
		if (!has(needed)) {
			throw new LockStoreException(
					LockStoreException.Kind.MISCONFIGURED, "%s cannot %s '%s', since it has no capability %s: %s"
						.formatted(this.store.getClass().getName(), what, LockKeys.describe(keys), needed, remedy),
					null);
		}
	}

	/** Return whether the store has a capability. */
	public boolean has(StoreCapability capability) {
		return this.capabilities.contains(capability);
	}

	/** Refuse terms that the store cannot keep. */
	public void require(LockTerms terms, List<LockKey> keys) {
		require(terms.mode, keys);
		if (!terms.lockDelay.isZero()) {
			require(StoreCapability.LOCK_DELAY, keys, "delay lock", "leave out lockDelay, or use another store");
		}
		if (terms.take > 1) {
			require(StoreCapability.SEVERAL_PERMITS, keys, "take %d permits of".formatted(terms.take),
					"take one, or use another store");
		}
	}

	private void require(LockMode mode, List<LockKey> keys) {
		if (!has(mode)) {
			throw new LockStoreException(LockStoreException.Kind.MISCONFIGURED,
					"Cannot acquire '%s' in mode %s: %s. Use one of these modes, or another store"
						.formatted(LockKeys.describe(keys), mode, objection(mode)),
					null);
		}
	}

}

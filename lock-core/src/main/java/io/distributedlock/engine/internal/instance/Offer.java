package io.distributedlock.engine.internal.instance;

import java.util.Arrays;
import java.util.List;
import java.util.Set;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import org.jspecify.annotations.Nullable;

/** The capabilities of a store, read once. */
public final class Offer {

	private final LockStore store;

	private final Set<StoreCapability> capabilities;

	private final boolean keySets;

	private final boolean wakeUps;

	private final boolean claims;

	Offer(LockStore store) {
		this.store = store;
		this.capabilities = Set.copyOf(store.capabilities());
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
		return needed == null || this.capabilities.contains(needed);
	}

	public void require(LockMode mode, List<LockKey> keys) {
		if (!has(mode)) {
			throw new LockStoreException(LockStoreException.Kind.MISCONFIGURED,
					"Cannot acquire '%s' in mode %s: %s. Use one of these modes, or another store"
						.formatted(LockKeys.describe(keys), mode, objection(mode)),
					null);
		}
	}

}

package io.distributedlock.engine.internal.line;

import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import io.distributedlock.LockOwner;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUpgradeException;
import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.instance.Offer;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * The rules for an owner that has a lock and requests it again, in any mode and with any
 * of its keys. It enters the lock again. An exclusive holder that wants to read gets a
 * read lock besides, and a reader that wants to write is refused. An owner that is no
 * thread is compared with all readers of the lock in its instance.
 */
public final class Reentrance {

	/**
	 * Most leases of one owner on a grant; more of them are a recursion without an end.
	 */
	static final int MAX_HOLDS = 1 << 16;

	private final Offer offer;

	private final GrantIndex grants;

	Reentrance(Offer offer, GrantIndex grants) {
		this.offer = offer;
		this.grants = grants;
	}

	/**
	 * Return the keys of a request in the parts that are requested one after the other.
	 * All keys are one part if the store can take them together. Keys are parts of their
	 * own if the store cannot, or if the owner has some already and enters those again.
	 * @throws io.distributedlock.LockStoreException if the store has no locks of the mode
	 */
	public List<List<LockKey>> split(LockRequest request, LockTerms terms) {
		List<LockKey> keys = LockKeys.of(request);
		this.offer.require(terms, keys);
		if (keys.size() == 1) {
			return List.of(keys);
		}
		boolean divided = holdsPart(request.owner(), keys, terms.mode) || this.offer.divides(keys);
		return divided ? keys.stream().map(List::of).toList() : List.of(keys);
	}

	/** Return whether an owner has some of the keys by a lock for another set of keys. */
	private boolean holdsPart(@Nullable Object owner, List<LockKey> wanted, LockMode mode) {
		if (owner == null || mode == LockMode.SEMAPHORE) {
			return false;
		}
		boolean part = false;
		for (LockKey key : wanted) {
			Grant exclusive = find(key, owner, LockMode.EXCLUSIVE);
			Grant reading = find(key, owner, LockMode.READ);
			requireNoUpgrade(key, mode, exclusive, reading);
			part |= isOfOther(exclusive, wanted) || (mode == LockMode.READ && isOfOther(reading, wanted));
		}
		return part;
	}

	/** Return whether the owner of a waiter for several keys has some of them by now. */
	boolean dividesSet(Waiter waiter) {
		return waiter.keys.size() > 1 && holdsPart(waiter.owner, waiter.keys, waiter.terms.mode);
	}

	private static boolean isOfOther(@Nullable Grant held, List<LockKey> wanted) {
		return held != null && !held.keys().equals(wanted);
	}

	private static void requireNoUpgrade(LockKey key, LockMode mode, @Nullable Grant exclusive,
			@Nullable Grant reading) {
		if (mode.isExclusive() && exclusive == null && reading != null) {
			throw new LockUpgradeException(key.name(), key.key());
		}
	}

	/**
	 * Return the grant by which an owner has a key, if a request of a mode would enter
	 * it.
	 */
	private @Nullable Grant find(LockKey key, Object owner, LockMode mode) {
		Grant inLine = mode.isExclusive() ? this.grants.inLine(key.encoded()) : null;
		if (inLine != null && mayEnter(owner, inLine.owner())) {
			return inLine;
		}
		for (Grant held : candidates(key.encoded(), owner, mode)) {
			if (LockTerms.entersAgain(mode, held.mode()) && mayEnter(owner, held.owner()) && isHeld(held)) {
				return held;
			}
		}
		return null;
	}

	/**
	 * Return the grants that an owner may enter. A thread or a plain object equals only
	 * itself and is found at once. Any other owner may equal any holder, even one with
	 * another hash code, so it has to be compared.
	 */
	private Collection<Grant> candidates(String encodedKey, Object owner, LockMode mode) {
		if (mode.isExclusive()) {
			return this.grants.exclusive(encodedKey);
		}
		boolean onlyItself = owner instanceof Thread || owner.getClass() == Object.class;
		return onlyItself ? this.grants.of(encodedKey, owner) : this.grants.shared(encodedKey);
	}

	private static boolean isHeld(Grant grant) {
		return grant.isHeld(grant.now());
	}

	/** Return a grant by which this instance has a key. */
	@Nullable Grant heldHere(LockKey key) {
		return held(key, Stream.concat(this.grants.exclusive(key.encoded()).stream(),
				this.grants.shared(key.encoded()).stream()))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return the grants by which this instance has a key for a holder, and maybe others.
	 */
	Stream<Grant> heldHere(LockKey key, Object holder) {
		return held(key, this.grants.of(key.encoded(), holder).stream());
	}

	private Stream<Grant> held(LockKey key, Stream<Grant> others) {
		return Stream.concat(Stream.ofNullable(this.grants.inLine(key.encoded())), others.filter(Reentrance::isHeld));
	}

	static boolean mayHold(Waiter waiter) {
		return waiter.owner != null && waiter.terms.mode != LockMode.SEMAPHORE;
	}

	/** Return the grant for all its keys that a waiter may enter. */
	@Nullable Grant enterable(Waiter waiter) {
		LockMode mode = waiter.terms.mode;
		boolean single = waiter.keys.size() == 1;
		LockKey first = waiter.keys.get(0);
		if (waiter.owner == null) {
			return null;
		}
		Grant held = find(first, waiter.owner, mode);
		if (held == null && single && mode.isExclusive()) {
			requireNoUpgrade(first, mode, null, find(first, waiter.owner, LockMode.READ));
		}
		return (single || !isOfOther(held, waiter.keys)) ? held : null;
	}

	/**
	 * Return why a waiter may not enter the grant of its owner, or {@code null} if it
	 * may. Called under the monitor of the queue of that grant.
	 */
	static @Nullable Failure refusal(Grant held, Waiter waiter) {
		boolean tooMany = held.holds() >= MAX_HOLDS;
		boolean keepsLonger = waiter.terms.keepFor.compareTo(held.terms().keepFor) > 0;
		if (!tooMany && !keepsLonger && waiter.terms.lockDelay.compareTo(held.terms().lockDelay) <= 0) {
			return null;
		}
		String problem = tooMany ? "was entered " + MAX_HOLDS + " times by one owner"
				: "cannot get a longer %s from a re-entrant call".formatted(keepsLonger ? "keepFor" : "lockDelay");
		return () -> new IllegalStateException("Lock '" + LockKeys.describe(held.keys()) + "' " + problem);
	}

	/**
	 * Return the exclusive grant by which the owner of a reader has its keys already.
	 */
	@Nullable Grant beside(List<LockKey> wanted, Object reader) {
		Grant held = find(wanted.get(0), reader, LockMode.EXCLUSIVE);
		return (held == null || (wanted.size() > 1 && isOfOther(held, wanted))) ? null : held;
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

}

package io.distributedlock.engine;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import io.distributedlock.LockRequest;
import io.distributedlock.LockUpgradeException;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The rules for an owner that has a lock and requests it again, in any mode and with any
 * of its keys. It enters the lock again. An exclusive holder that wants to read gets a
 * read lock besides, and a reader that wants to write is refused.
 */
final class Reentrance {

	/**
	 * Most leases of one owner on a grant; more of them are a recursion without an end.
	 */
	static final int MAX_HOLDS = 1 << 16;

	private final Offer offer;

	private final Renewals renewals;

	/** The grants of all queues but the lines of single keys. */
	private final Holds holds;

	/** The grant of the line for a single key. */
	private final Function<String, @Nullable Grant> heldInLine;

	Reentrance(Offer offer, Renewals renewals, Holds holds, Function<String, @Nullable Grant> heldInLine) {
		this.offer = offer;
		this.renewals = renewals;
		this.holds = holds;
		this.heldInLine = heldInLine;
	}

	/**
	 * Return the keys of a request in the parts that are requested one after the other.
	 * All keys are one part if the store can take them together. Keys are parts of their
	 * own if the store cannot, or if the owner has some already and enters those again.
	 * @throws io.distributedlock.LockStoreException if the store has no locks of the mode
	 */
	List<List<LockKey>> split(LockRequest request, LockTerms terms) {
		List<LockKey> keys = LockKeys.of(request);
		this.offer.require(terms.mode(), keys);
		if (keys.size() == 1) {
			return List.of(keys);
		}
		boolean divided = holdsPart(request.owner(), keys, terms.mode()) || this.offer.divides(keys);
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
		return waiter.keys.size() > 1 && holdsPart(waiter.owner, waiter.keys, waiter.terms.mode());
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
		Grant inLine = mode.isExclusive() ? this.heldInLine.apply(key.encoded()) : null;
		if (inLine != null && LeaseChain.mayEnter(owner, inLine.owner())) {
			return inLine;
		}
		for (Grant held : candidates(key.encoded(), owner, mode)) {
			if (LockTerms.entersAgain(mode, held.mode()) && LeaseChain.mayEnter(owner, held.owner()) && isHeld(held)) {
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
			return this.holds.exclusive(encodedKey);
		}
		boolean onlyItself = owner instanceof Thread || owner.getClass() == Object.class;
		return onlyItself ? this.holds.of(encodedKey, owner) : this.holds.shared(encodedKey);
	}

	private static boolean isHeld(Grant grant) {
		return grant.isHeld(grant.instance().now());
	}

	/** Return a grant by which this instance has a key. */
	@Nullable Grant heldHere(LockKey key) {
		return held(key,
				Stream.concat(this.holds.exclusive(key.encoded()).stream(), this.holds.shared(key.encoded()).stream()))
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return the grants by which this instance has a key for a holder, and maybe others.
	 */
	Stream<Grant> heldHere(LockKey key, Object holder) {
		return held(key, this.holds.of(key.encoded(), holder).stream());
	}

	private Stream<Grant> held(LockKey key, Stream<Grant> others) {
		return Stream.concat(Stream.ofNullable(this.heldInLine.apply(key.encoded())),
				others.filter(Reentrance::isHeld));
	}

	static boolean mayHold(Waiter waiter) {
		return waiter.owner != null && waiter.terms.mode() != LockMode.SEMAPHORE;
	}

	/** Return the grant for all its keys that a waiter may enter. */
	@Nullable Grant enterable(Waiter waiter) {
		LockMode mode = waiter.terms.mode();
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
	 * Let a waiter enter the grant of its owner, or refuse it. Called under the monitor
	 * of the queue of that grant.
	 */
	void enter(Grant held, Waiter waiter, AfterUnlock effects) {
		if (held.holds() >= MAX_HOLDS || waiter.terms.keepFor().compareTo(held.terms().keepFor()) > 0) {
			String problem = (held.holds() >= MAX_HOLDS) ? "was entered " + MAX_HOLDS + " times by one owner"
					: "cannot get a longer keepFor from a re-entrant call";
			effects.add(() -> waiter
				.settle(() -> new IllegalStateException("Lock '" + LockKeys.describe(held.keys()) + "' " + problem)));
			return;
		}
		GrantLease lease = held.enter(waiter);
		LockTerms before = held.extend(waiter.terms);
		if (held.terms().renew() != before.renew()) {
			effects.add(() -> held.renewAt(held.now()));
		}
		boolean longer = held.ttlNanos() > before.ttlNanos();
		if (longer || held.isInDoubt()) {
			waiter.entering(lease);
			effects.add(() -> this.renewals.lengthen(held, lease, waiter, longer));
		}
		else {
			effects.add(() -> waiter.take(lease));
		}
	}

	/**
	 * Return the exclusive request by which the owner of a reader has its keys already.
	 */
	@Nullable RequestId beside(List<LockKey> wanted, Object reader) {
		Grant held = find(wanted.get(0), reader, LockMode.EXCLUSIVE);
		if (held == null || (wanted.size() > 1 && isOfOther(held, wanted))) {
			return null;
		}
		return held.queue.readsInside(held) ? held.request() : null;
	}

}

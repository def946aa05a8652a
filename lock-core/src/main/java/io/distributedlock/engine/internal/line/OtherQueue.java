package io.distributedlock.engine.internal.line;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * A queue for a set of keys, or for a mode other than exclusive. Its holders may share
 * the lock: any number of its grants may hold it at a time.
 */
final class OtherQueue extends KeyQueue {

	private final String id;

	private final List<LockKey> keys;

	private final LockMode mode;

	/**
	 * The number of this queue. It is short, unlike the id of a set, since an index
	 * compares it for each key.
	 */
	private final String number;

	/** The place of a fair request for one key, where messages wake it. */
	private final FairSigns.@Nullable Place<KeyQueue> place;

	/** The permits that are held; they do not keep others from getting one. */
	private Set<Grant> permits = Set.of();

	OtherQueue(QueueIndex index, String id, long number, List<LockKey> keys, LockMode mode) {
		super(index, keys.get(0));
		this.id = id;
		this.keys = keys;
		this.mode = mode;
		this.number = Long.toString(number);
		this.place = FairSigns.areGiven(mode, keys, index.instance)
				? new FairSigns.Place<>(index.shareSigns(keys.get(0).encoded()), number, this) : null;
	}

	@Override
	String id() {
		return this.id;
	}

	@Override
	List<LockKey> keys() {
		return this.keys;
	}

	@Override
	public LockMode mode() {
		return this.mode;
	}

	@Override
	public boolean isPlain() {
		return false;
	}

	@Override
	Object target() {
		return this.keys;
	}

	/**
	 * Add this queue to the index.
	 * @param isLine {@code true} if its waiters share one waiter entry
	 */
	void add(boolean isLine) {
		this.index.addOther(this.keys, this.number, this, isLine);
	}

	@Override
	void remove() {
		super.remove();
		this.index.removeOther(this.keys, this.number, this);
		if (this.place != null) {
			this.place.leave();
			this.index.leaveSigns(this.keys.get(0).encoded());
		}
	}

	@Override
	FairSigns.@Nullable Place<KeyQueue> fairPlace() {
		return this.place;
	}

	@Override
	public Grant newGrant(@Nullable Grant before, LockTerms terms) {
		Grant next = super.newGrant(before, terms);
		this.index.begins(next, this);
		return next;
	}

	@Override
	void abandoned(Grant abandoned) {
		this.index.ends(abandoned);
	}

	@Override
	void acquired(Grant acquired) {
		this.index.ends(acquired);
		this.index.grants.add(acquired);
		if (this.place != null) {
			this.place.granted();
		}
	}

	@Override
	void holderLeaves(Grant left) {
		this.index.grants.removeHolder(left);
	}

	@Override
	public void ended(Grant ended, boolean confirmed, @Nullable LockStoreException failure) {
		this.index.grants.remove(ended);
		super.ended(ended, confirmed, failure);
	}

	/** This queue is one of the others, even if it has been removed meanwhile. */
	@Override
	boolean sharesKeys() {
		return true;
	}

	@Override
	boolean isInUse() {
		return super.isInUse() || !this.permits.isEmpty();
	}

	@Override
	void keep(Grant granted) {
		if (this.mode == LockMode.SEMAPHORE) {
			this.permits = this.permits.isEmpty() ? new LinkedHashSet<>() : this.permits;
			this.permits.add(granted);
		}
		else {
			super.keep(granted);
		}
	}

	@Override
	void forget(Grant ended) {
		super.forget(ended);
		if (!this.permits.isEmpty()) {
			this.permits.remove(ended);
		}
	}

	@Override
	public synchronized List<Grant> allHeld() {
		return (this.mode != LockMode.SEMAPHORE) ? super.allHeld()
				: this.permits.stream().filter((permit) -> permit.isHeld(this.index.instance.now())).toList();
	}

}

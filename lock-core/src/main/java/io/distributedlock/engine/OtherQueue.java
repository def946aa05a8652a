package io.distributedlock.engine;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.LockMode;
import io.distributedlock.store.LockKey;

/**
 * A queue for a set of keys, or for another mode than exclusive. It may have any number
 * of permits at a time.
 */
final class OtherQueue extends KeyQueue {

	private final String id;

	/**
	 * The number of this queue. It is short, unlike the id of a set, since an index
	 * compares it for each key.
	 */
	final String number;

	private final List<LockKey> keys;

	private final LockMode mode;

	/** The permits that are held; they do not keep others from getting one. */
	private Set<Grant> permits = Set.of();

	OtherQueue(Queues queues, String id, long number, List<LockKey> keys, LockMode mode) {
		super(queues, keys.get(0));
		this.id = id;
		this.number = Long.toString(number);
		this.keys = keys;
		this.mode = mode;
	}

	@Override
	String id() {
		return this.id;
	}

	@Override
	public List<LockKey> keys() {
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
	synchronized List<Grant> allHeld() {
		return (this.mode != LockMode.SEMAPHORE) ? super.allHeld()
				: this.permits.stream().filter((permit) -> permit.isHeld(instance().now())).toList();
	}

}

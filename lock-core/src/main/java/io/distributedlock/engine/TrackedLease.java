package io.distributedlock.engine;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.distributedlock.LockStoreException;
import io.distributedlock.TemplateLease;
import org.jspecify.annotations.Nullable;

/**
 * A lease to which the engine has no reference, so that it is collected when its holder
 * forgets it. A method that closes it keeps it reachable until its end, because the
 * collector may come earlier.
 */
final class TrackedLease implements TemplateLease {

	private final TemplateLease lease;

	TrackedLease(TemplateLease lease) {
		this.lease = lease;
	}

	@Override
	public String name() {
		return this.lease.name();
	}

	@Override
	public List<String> keys() {
		return this.lease.keys();
	}

	@Override
	public long fencingToken() {
		return this.lease.fencingToken();
	}

	@Override
	public long fencingToken(String key) {
		return this.lease.fencingToken(key);
	}

	@Override
	public boolean isHeld() {
		return this.lease.isHeld();
	}

	@Override
	public boolean isLost() {
		return this.lease.isLost();
	}

	@Override
	public Duration remaining() {
		return this.lease.remaining();
	}

	@Override
	public void checkHeld() {
		this.lease.checkHeld();
	}

	@Override
	public void extend(Duration ttl, @Nullable Duration keepFor) {
		this.lease.extend(ttl, keepFor);
	}

	@Override
	public CompletionStage<Void> extendAsync(Duration ttl, @Nullable Duration keepFor) {
		return this.lease.extendAsync(ttl, keepFor);
	}

	@Override
	public void onLost(Runnable action) {
		this.lease.onLost(action);
	}

	@Override
	public void onEndangered(Consumer<? super LockStoreException> action) {
		this.lease.onEndangered(action);
	}

	@Override
	public void detach() {
		this.lease.detach();
	}

	@Override
	public void ownersChanged() {
		this.lease.ownersChanged();
	}

	@Override
	public void close() {
		try {
			this.lease.close();
		}
		finally {
			Reference.reachabilityFence(this);
		}
	}

	@Override
	public CompletionStage<Void> release() {
		try {
			return this.lease.release();
		}
		finally {
			Reference.reachabilityFence(this);
		}
	}

	@Override
	public CompletionStage<Void> discard() {
		try {
			return this.lease.discard();
		}
		finally {
			Reference.reachabilityFence(this);
		}
	}

	@Override
	public String toString() {
		return this.lease.toString();
	}

}

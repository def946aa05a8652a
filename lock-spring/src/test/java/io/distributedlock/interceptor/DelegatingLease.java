package io.distributedlock.interceptor;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LockStoreException;
import io.distributedlock.TemplateLease;
import org.jspecify.annotations.Nullable;

/** A lease that delegates to another, for tests that change a part of it. */
abstract class DelegatingLease implements TemplateLease {

	private final TemplateLease lease;

	DelegatingLease(Lease lease) {
		this.lease = (TemplateLease) lease;
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
	public Duration remaining() {
		return this.lease.remaining();
	}

	@Override
	public void checkHeld() {
		this.lease.checkHeld();
	}

	@Override
	public void checkCommit() {
		this.lease.checkCommit();
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
	public CompletionStage<Void> discard() {
		return this.lease.discard();
	}

	@Override
	public CompletionStage<Void> release() {
		return this.lease.release();
	}

	@Override
	public void close() {
		this.lease.close();
	}

}

package io.distributedlock.engine;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.store.AbandonCommand;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.WakeUpListener;

/**
 * Grants every request, so that a caller that is kept out is kept out by the instance.
 */
final class PermissiveStore implements LockStore {

	private final AtomicInteger tokens = new AtomicInteger();

	private final AtomicInteger releases = new AtomicInteger();

	/** How often a release has arrived. */
	int releases() {
		return this.releases.get();
	}

	@Override
	public Set<StoreCapability> capabilities() {
		return EnumSet.complementOf(EnumSet.of(StoreCapability.CALLER_THREAD));
	}

	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return true;
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		return CompletableFuture.completedFuture(new AcquireOutcome.Granted(this.tokens.incrementAndGet()));
	}

	@Override
	public List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
		return commands.stream().map((command) -> CompletableFuture.completedFuture(Ownership.HELD)).toList();
	}

	@Override
	public CompletableFuture<Ownership> extend(ExtendCommand command) {
		return CompletableFuture.completedFuture(Ownership.HELD);
	}

	@Override
	public CompletableFuture<Ownership> release(ReleaseCommand command) {
		this.releases.incrementAndGet();
		return CompletableFuture.completedFuture(Ownership.HELD);
	}

	@Override
	public CompletableFuture<Void> abandon(AbandonCommand command) {
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
	}

	@Override
	public Duration commandTimeout() {
		return Duration.ofSeconds(1);
	}

	@Override
	public void close() {
	}

}

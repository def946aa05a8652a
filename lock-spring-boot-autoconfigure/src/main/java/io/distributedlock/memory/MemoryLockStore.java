package io.distributedlock.memory;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;

/**
 * A store in memory. Two stores on the same {@link MemoryLocks} behave like two instances
 * of an application. Thread-safe; every future is complete when it is returned.
 *
 * @since 0.1.0
 */
public final class MemoryLockStore implements QuorumNode {

	private final MemoryLocks locks;

	private volatile String instance = "";

	/** Create a store with locks of its own. */
	public MemoryLockStore() {
		this(new MemoryLocks());
	}

	/**
	 * Create a store on locks that others may share.
	 * @param locks the locks
	 */
	public MemoryLockStore(MemoryLocks locks) {
		this.locks = locks;
	}

	/**
	 * The locks behind this store.
	 * @return the locks
	 */
	public MemoryLocks locks() {
		return this.locks;
	}

	@Override
	public String name() {
		return "memory";
	}

	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return true;
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		return enter(command, MemoryEntry.IN_TURN);
	}

	@Override
	public CompletableFuture<AcquireOutcome> claim(AcquireCommand command, boolean again) {
		return enter(command, again ? MemoryEntry.CLAIM_AGAIN : MemoryEntry.CLAIM);
	}

	@Override
	public CompletableFuture<Void> standInLine(AcquireCommand command) {
		return enter(command, MemoryEntry.STAND_IN_LINE).thenAccept((outcome) -> {
		});
	}

	private CompletableFuture<AcquireOutcome> enter(AcquireCommand command, MemoryEntry entry) {
		try {
			return CompletableFuture.completedFuture(this.locks.acquire(command, entry));
		}
		catch (LockStoreException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public List<CompletableFuture<Boolean>> renew(List<RenewCommand> commands) {
		return this.locks.renew(commands).stream().map(CompletableFuture::completedFuture).toList();
	}

	@Override
	public CompletableFuture<Boolean> release(List<LockKey> keys, RequestId request, RenewalMarks marks) {
		return CompletableFuture.completedFuture(this.locks.release(keys, request, marks));
	}

	@Override
	public CompletableFuture<Void> abandon(List<LockKey> keys, RequestId request) {
		return withdraw(keys, request, Duration.ZERO);
	}

	@Override
	public CompletableFuture<Void> withdraw(List<LockKey> keys, RequestId request, Duration waiting) {
		this.locks.abandon(keys, request, waiting);
		return CompletableFuture.completedFuture(null);
	}

	@Override
	public CompletableFuture<Boolean> raise(List<LockKey> keys, RequestId request, long token) {
		return CompletableFuture.completedFuture(this.locks.raise(keys, request, token));
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		this.instance = instance;
		this.locks.listen(instance, listener);
	}

	@Override
	public Duration commandTimeout() {
		return Duration.ofSeconds(1);
	}

	@Override
	public void close() {
		this.locks.forget(this.instance);
	}

}

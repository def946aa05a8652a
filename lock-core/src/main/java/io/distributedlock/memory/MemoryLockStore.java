package io.distributedlock.memory;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockInspection;
import io.distributedlock.LockStoreException;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.WakeUpListener;

/**
 * A store in memory. Two stores on the same {@link MemoryLocks} behave like two instances
 * of an application. Thread-safe; every future is complete when it is returned.
 *
 * @since 0.1.0
 */
public final class MemoryLockStore implements QuorumNode, StoreMonitor {

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
	public Set<StoreCapability> capabilities() {
		return EnumSet.complementOf(EnumSet.of(StoreCapability.CALLER_THREAD));
	}

	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return true;
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		try {
			return run((micros, table) -> table.acquire(micros, command));
		}
		catch (LockStoreException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	private <T> CompletableFuture<T> run(MemoryLocks.Command<T> command) {
		return CompletableFuture.completedFuture(this.locks.run(command));
	}

	@Override
	public List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
		List<Ownership> owners = this.locks.run((micros, table) -> table.renew(micros, commands));
		return owners.stream().map(CompletableFuture::completedFuture).toList();
	}

	@Override
	public CompletableFuture<Ownership> extend(ExtendCommand command) {
		return run((micros, table) -> table.extend(micros, command));
	}

	@Override
	public CompletableFuture<Ownership> release(ReleaseCommand command) {
		return run((micros, table) -> table.release(micros, command));
	}

	@Override
	public CompletableFuture<Void> abandon(AbandonCommand command) {
		return run((micros, table) -> table.abandon(micros, command)).thenAccept((owned) -> {
		});
	}

	@Override
	public CompletableFuture<Boolean> raise(RaiseCommand command) {
		return run((micros, table) -> table.raise(micros, command));
	}

	@Override
	public CompletableFuture<LockInspection> inspect(LockKey key) {
		return run((micros, table) -> table.inspect(micros, key));
	}

	@Override
	public CompletableFuture<Integer> forceRelease(ForceReleaseCommand command) {
		return run((micros, table) -> table.forceRelease(micros, command));
	}

	@Override
	public CompletableFuture<Void> setPermits(LockKey key, int permits) {
		try {
			return run((micros, table) -> {
				table.setPermits(micros, key, permits);
				return "";
			}).thenAccept((done) -> {
			});
		}
		catch (LockStoreException ex) {
			return CompletableFuture.failedFuture(ex);
		}
	}

	@Override
	public CompletableFuture<?> announce(String instance, String name, Duration lifetime) {
		this.locks.name(instance, name);
		return CompletableFuture.completedFuture("");
	}

	@Override
	public CompletableFuture<String> nameOf(String instance) {
		return CompletableFuture.completedFuture(this.locks.nameOf(instance));
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		this.instance = instance;
		this.locks.listen(instance, listener);
	}

	@Override
	public boolean isIndependent() {
		return true;
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

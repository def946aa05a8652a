package io.distributedlock.test.store;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockInspection;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.CommitCheck;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.StoreNode;
import io.distributedlock.store.WakeUpListener;
import org.jspecify.annotations.Nullable;

/**
 * Passes all calls on to another store. A subclass overrides the methods that it counts,
 * delays or lets fail, and need not change when stores get another method.
 *
 * @since 0.1.0
 */
public abstract class DelegatingLockStore implements LockStore, StoreMonitor {

	private final LockStore delegate;

	/**
	 * Create a store.
	 * @param delegate the other store, closed with this one
	 */
	protected DelegatingLockStore(LockStore delegate) {
		this.delegate = delegate;
	}

	@Override
	public Set<StoreCapability> capabilities() {
		return this.delegate.capabilities();
	}

	@Override
	public boolean takesTogether(List<LockKey> keys) {
		return this.delegate.takesTogether(keys);
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		return this.delegate.acquire(command);
	}

	@Override
	public List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
		return this.delegate.renew(commands);
	}

	@Override
	public CompletableFuture<Ownership> extend(ExtendCommand command) {
		return this.delegate.extend(command);
	}

	@Override
	public String nodeOf(LockKey key) {
		return this.delegate.nodeOf(key);
	}

	@Override
	public CompletableFuture<Ownership> release(ReleaseCommand command) {
		return this.delegate.release(command);
	}

	@Override
	public CompletableFuture<Void> abandon(AbandonCommand command) {
		return this.delegate.abandon(command);
	}

	/**
	 * Return this store, so that a subclass can override the methods of the monitor as
	 * well.
	 */
	@Override
	public @Nullable StoreMonitor monitor() {
		return (this.delegate.monitor() != null) ? this : null;
	}

	private StoreMonitor itsMonitor() {
		StoreMonitor monitor = this.delegate.monitor();
		if (monitor == null) {
			throw new UnsupportedOperationException(
					"%s can neither inspect locks nor take them away".formatted(this.delegate.getClass().getName()));
		}
		return monitor;
	}

	@Override
	public CompletableFuture<LockInspection> inspect(LockKey key) {
		return itsMonitor().inspect(key);
	}

	@Override
	public CompletableFuture<Integer> forceRelease(ForceReleaseCommand command) {
		return itsMonitor().forceRelease(command);
	}

	@Override
	public CompletableFuture<Void> setPermits(LockKey key, int permits) {
		return itsMonitor().setPermits(key, permits);
	}

	@Override
	public CompletableFuture<?> announce(String instance, String name, Duration lifetime) {
		return itsMonitor().announce(instance, name, lifetime);
	}

	@Override
	public CompletableFuture<String> nameOf(String instance) {
		return itsMonitor().nameOf(instance);
	}

	@Override
	public CompletableFuture<List<StoreNode>> nodes() {
		return itsMonitor().nodes();
	}

	@Override
	public boolean worksWith(List<StoreNode> nodes) {
		return itsMonitor().worksWith(nodes);
	}

	@Override
	public @Nullable CommitCheck commitCheck() {
		return this.delegate.commitCheck();
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		this.delegate.start(instance, listener);
	}

	@Override
	public void listen() {
		this.delegate.listen();
	}

	@Override
	public String place(LockKey key) {
		return this.delegate.place(key);
	}

	@Override
	public Map<String, Duration> sinceLastAnswer() {
		return itsMonitor().sinceLastAnswer();
	}

	@Override
	public boolean isAnsweredBy(Thread thread) {
		return this.delegate.isAnsweredBy(thread);
	}

	@Override
	public boolean isIndependent() {
		return this.delegate.isIndependent();
	}

	@Override
	public Duration commandTimeout() {
		return this.delegate.commandTimeout();
	}

	@Override
	public void close() {
		this.delegate.close();
	}

	@Override
	public String toString() {
		return this.delegate.toString();
	}

}

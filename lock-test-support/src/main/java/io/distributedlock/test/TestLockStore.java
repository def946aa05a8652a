package io.distributedlock.test;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Supplier;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.WakeUpListener;
import io.distributedlock.test.store.DelegatingLockStore;

import org.springframework.context.Lifecycle;

/**
 * The application's store in a test: it knows the holders of the application's locks, and
 * can be unavailable. Thread-safe.
 */
final class TestLockStore extends DelegatingLockStore implements Lifecycle {

	/** The store of the auto-configuration. */
	static final String BEAN_NAME = "distributedLockStore";

	private final LockStore delegate;

	/**
	 * The holders by encoded key. A request that has lost its lock unnoticed may still be
	 * among them.
	 */
	private final Map<String, Set<RequestId>> holders = new ConcurrentHashMap<>();

	/**
	 * Locks that were taken with {@code keepFor} or {@code lockDelay}, by any instance.
	 */
	private final Set<LockKey> kept = ConcurrentHashMap.newKeySet();

	/** Semaphores whose number of permits was set. */
	private final Set<LockKey> numbered = ConcurrentHashMap.newKeySet();

	/** Releases of the application that failed while the store was unavailable. */
	private final Queue<Supplier<CompletableFuture<?>>> owed = new ConcurrentLinkedQueue<>();

	private volatile boolean available = true;

	TestLockStore(LockStore delegate) {
		super(delegate);
		this.delegate = delegate;
	}

	/**
	 * Switch the store on or off. When it is on again, releases that failed meanwhile are
	 * repeated, as the engine would.
	 */
	void setAvailable(boolean available) {
		this.available = available;
		while (available && !this.owed.isEmpty()) {
			Supplier<CompletableFuture<?>> command = this.owed.poll();
			if (command != null) {
				command.get().join();
			}
		}
	}

	/**
	 * End the application's requests that hold a lock, without its knowledge.
	 * @return {@code true} if there were any
	 */
	boolean expire(LockKey key) {
		Set<RequestId> requests = this.holders.remove(key.encoded());
		if (requests == null) {
			return false;
		}
		requests.forEach((request) -> this.delegate.abandon(new AbandonCommand(key, request)).join());
		return true;
	}

	@Override
	public CompletableFuture<Void> setPermits(LockKey key, int permits) {
		this.numbered.add(key);
		return super.setPermits(key, permits);
	}

	/**
	 * Free the locks that are held no more and only kept, and remove the numbers of
	 * permits that were set.
	 */
	void freeKept() {
		this.numbered.forEach((key) -> super.setPermits(key, 0).join());
		this.numbered.clear();
		for (LockKey key : this.kept) {
			if (!this.holders.containsKey(key.encoded())) {
				this.kept.remove(key);
				forceRelease(new ForceReleaseCommand(key, null)).join();
			}
		}
	}

	/**
	 * Return a view of the same locks for another instance, which polls while it waits.
	 */
	LockStore ofAnotherInstance() {
		return new DelegatingLockStore(this.delegate) {

			@Override
			public Set<StoreCapability> capabilities() {
				Set<StoreCapability> less = EnumSet.noneOf(StoreCapability.class);
				less.addAll(super.capabilities());
				less.remove(StoreCapability.WAKE_UPS);
				return less;
			}

			@Override
			public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
				noteKept(command);
				return super.acquire(command);
			}

			@Override
			public void start(String instance, WakeUpListener listener) {
				// The wake-ups go to the application.
			}

			@Override
			public void close() {
				// The application closes its store.
			}

		};
	}

	@Override
	public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
		return ifAvailable(() -> noting(command, super.acquire(command)));
	}

	/**
	 * Note a grant before the engine gets it, and so before any code runs under the lock.
	 */
	private CompletableFuture<AcquireOutcome> noting(AcquireCommand command, CompletableFuture<AcquireOutcome> answer) {
		CompletableFuture<AcquireOutcome> noted = answer.thenApply((outcome) -> {
			if (outcome instanceof AcquireOutcome.Granted) {
				command.keys().forEach((key) -> note(key, command.request()));
				noteKept(command);
			}
			return outcome;
		});
		noted.whenComplete((outcome, ex) -> {
			if (noted.isCancelled()) {
				answer.cancel(true);
			}
		});
		return noted;
	}

	private void noteKept(AcquireCommand command) {
		if (!command.keepFor().isZero() || !command.lockDelay().isZero()) {
			this.kept.addAll(command.keys());
		}
	}

	private void note(LockKey key, RequestId request) {
		this.holders.computeIfAbsent(key.encoded(), (missing) -> ConcurrentHashMap.newKeySet()).add(request);
	}

	private void forget(List<LockKey> keys, RequestId request) {
		keys.forEach((key) -> this.holders.computeIfPresent(key.encoded(), (encoded, requests) -> {
			requests.remove(request);
			return requests.isEmpty() ? null : requests;
		}));
	}

	@Override
	public List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
		return this.available ? super.renew(commands)
				: commands.stream().map((command) -> TestLockStore.<Ownership>unavailable()).toList();
	}

	@Override
	public CompletableFuture<Ownership> extend(ExtendCommand command) {
		return this.available ? super.extend(command) : unavailable();
	}

	@Override
	public CompletableFuture<Ownership> release(ReleaseCommand command) {
		forget(command.keys(), command.request());
		return orLater(() -> super.release(command));
	}

	@Override
	public CompletableFuture<Void> abandon(AbandonCommand command) {
		forget(command.keys(), command.request());
		return orLater(() -> super.abandon(command));
	}

	private <T> CompletableFuture<T> orLater(Supplier<CompletableFuture<T>> command) {
		if (!this.available) {
			this.owed.add(command::get);
		}
		return ifAvailable(command);
	}

	private <T> CompletableFuture<T> ifAvailable(Supplier<CompletableFuture<T>> command) {
		return this.available ? command.get() : unavailable();
	}

	private static <T> CompletableFuture<T> unavailable() {
		return CompletableFuture.failedFuture(new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
				"The test has made the store of the locks unavailable", null));
	}

	@Override
	public void start() {
		if (this.delegate instanceof Lifecycle lifecycle) {
			lifecycle.start();
		}
	}

	@Override
	public void stop() {
		if (this.delegate instanceof Lifecycle lifecycle) {
			lifecycle.stop();
		}
	}

	@Override
	public boolean isRunning() {
		return this.delegate instanceof Lifecycle lifecycle && lifecycle.isRunning();
	}

}

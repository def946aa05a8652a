package io.distributedlock.test;

import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.TemplateLease;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.context.ApplicationContext;

/**
 * Controls the locks of an application in a test: plays another instance, lets leases run
 * out, and makes the store unavailable. Name and key are those of
 * {@code @DistributedLock}. The name may be empty. The key is the value of the key
 * expression, or {@code com.example.Jobs.report(int)}, for example, for a method without
 * one. {@link AutoConfigureTestLocks} makes it a bean. Thread-safe.
 *
 * @since 0.1.0
 */
public final class TestLocks implements AutoCloseable {

	private final ApplicationContext context;

	private final Queue<Lease> held = new ConcurrentLinkedQueue<>();

	private @Nullable DefaultLockRegistry otherInstance;

	/**
	 * Create the bean.
	 * @param context the application
	 * @throws IllegalStateException if the application has no locks
	 */
	TestLocks(ApplicationContext context) {
		if (context.getBeanNamesForType(LockProfiles.class, true, false).length == 0) {
			throw new IllegalStateException(
					"@AutoConfigureTestLocks needs the auto-configuration of the locks, which is "
							+ "not part of this context: add @ImportAutoConfiguration(DistributedLockAutoConfiguration.class) to "
							+ "a test of a slice, and remove distributed-lock.enabled=false where it is set");
		}
		this.context = context;
	}

	/**
	 * Hold an exclusive lock as another instance of the application would. The lease is
	 * renewed until it is closed, at the end of the test method at the latest.
	 * @param name the name of the lock, or an empty string for none
	 * @param key the key
	 * @return the lease of the other instance
	 * @throws LockNotAcquiredException if the lock is held already
	 */
	public Lease hold(String name, String key) {
		return hold(LockRequest.of(name, key));
	}

	/**
	 * Hold locks as another instance of the application would, in any mode. The profile
	 * {@code distributed-lock.locks.<name>} counts as in the application, but a lock that
	 * is held already is not waited for. The lease is renewed until it is closed, at the
	 * end of the test method at the latest.
	 * @param request the locks to hold, with their mode
	 * @return the lease of the other instance
	 * @throws LockNotAcquiredException if a lock is held already
	 */
	public Lease hold(LockRequest request) {
		LockProfiles profiles = this.context.getBean(LockProfiles.class);
		LockRequest resolved = LockRequest.ofAll(request.keys())
			.options(profiles.resolve(request.name(), request.options()))
			.waitFor(Duration.ZERO);
		try {
			Lease lease = otherInstance().acquire(resolved.name(request.name()));
			this.held.add(lease);
			return lease;
		}
		catch (LockNotAcquiredException ex) {
			throw new LockNotAcquiredException(ex.getName(), ex.getKey(), ex.getHolder().orElse(null), ex.getWaited(),
					holder(ex) + ". Close its lease first, or take it away from the application by steal");
		}
	}

	private String holder(LockNotAcquiredException busy) {
		return this.held.stream()
			.anyMatch((lease) -> lease.isHeld() && lease.name().equals(busy.getName())
					&& lease.keys().contains(busy.getKey())) ? "this test holds it already as the other instance"
							: "the application holds it";
	}

	private synchronized LockRegistry otherInstance() {
		if (this.otherInstance == null) {
			this.otherInstance = new DefaultLockRegistry(store().ofAnotherInstance(), LockProfiles.DEFAULTS,
					EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), null);
		}
		return this.otherInstance;
	}

	/**
	 * Let the leases that the application has on a lock run out now. The lock is free for
	 * every instance. The application does not wait for its next renewal to notice. From
	 * here on {@link Lease#isHeld()} is {@code false}, and the guarded method ends as its
	 * {@code whenLost} says.
	 * @param name the name of the lock, or an empty string for none
	 * @param key the key
	 * @throws IllegalStateException if the application does not hold the lock
	 */
	public void expire(String name, String key) {
		LockRequest lock = LockRequest.of(name, key);
		if (!store().expire(new LockKey(lock.name(), key))) {
			throw new IllegalStateException(
					"The application does not hold a lock with the name '%s' and the key '%s'".formatted(name, key));
		}
		this.context.getBeansOfType(DefaultLockRegistry.class).values().forEach(DefaultLockRegistry::confirm);
	}

	/**
	 * Let the application's leases on a lock {@linkplain #expire run out}, and hold the
	 * lock as another instance. This is the state after a long pause of the process.
	 * @param name the name of the lock, or an empty string for none
	 * @param key the key
	 * @return the lease of the other instance
	 * @throws IllegalStateException if the application does not hold the lock
	 */
	public Lease steal(String name, String key) {
		expire(name, key);
		return hold(name, key);
	}

	/**
	 * Make the store unavailable: every command of the application fails at once, as
	 * without a connection, and is not applied. The application tries again until its
	 * {@code waitFor} is over. {@link #hold} still works.
	 */
	public void makeUnavailable() {
		store().setAvailable(false);
	}

	/**
	 * Make the store available again. Releases of the application that failed meanwhile
	 * are repeated now.
	 */
	public void makeAvailable() {
		store().setAvailable(true);
	}

	/**
	 * Release the leases of {@link #hold} and {@link #steal}, free the locks that are
	 * only kept ({@code keepFor}), remove numbers of permits that were set, and make the
	 * store available again. Called after each test method. A lock that the application
	 * still holds stays held.
	 */
	public void reset() {
		makeAvailable();
		for (Lease lease = this.held.poll(); lease != null; lease = this.held.poll()) {
			((TemplateLease) lease).discard().toCompletableFuture().join();
		}
		store().freeKept();
	}

	private TestLockStore store() {
		LockStore store = this.context.getBean(TestLockStore.BEAN_NAME, LockStore.class);
		if (store instanceof TestLockStore testStore) {
			return testStore;
		}
		throw new IllegalStateException(
				"The bean %s is not a store that a test can control but %s".formatted(TestLockStore.BEAN_NAME, store));
	}

	@Override
	public synchronized void close() {
		if (this.otherInstance != null) {
			this.otherInstance.close();
		}
	}

}

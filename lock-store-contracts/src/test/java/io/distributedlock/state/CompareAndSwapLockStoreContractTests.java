package io.distributedlock.state;

import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.WakeUpListener;
import io.distributedlock.test.store.LockStoreFairContract;
import io.distributedlock.test.store.LockStoreInspectionContractTests;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract on a map from keys to texts. */
class CompareAndSwapLockStoreContractTests {

	private static final long ORIGIN = System.nanoTime();

	private static final Set<StoreCapability> OF_STATE = EnumSet.of(StoreCapability.FAIR, StoreCapability.READ,
			StoreCapability.SEMAPHORE, StoreCapability.HANDLES, StoreCapability.LOCK_DELAY,
			StoreCapability.SEVERAL_PERMITS);

	/** It failed the tests of claims: they sent claims to a store that has none. */
	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class WithoutWakeUps extends LockStoreInspectionContractTests implements LockStoreFairContract {

		private final Map<LockKey, String> texts = new ConcurrentHashMap<>();

		@Override
		protected LockStore createStore() {
			return new PollingStore(this.texts);
		}

		@Override
		protected Set<StoreCapability> expectedCapabilities() {
			return OF_STATE;
		}

	}

	@Nested
	@Execution(ExecutionMode.CONCURRENT)
	class WithWakeUps extends LockStoreInspectionContractTests implements LockStoreFairContract {

		private final Map<LockKey, String> texts = new ConcurrentHashMap<>();

		private final Map<String, WakeUpListener> listeners = new ConcurrentHashMap<>();

		@Override
		protected LockStore createStore() {
			return new WakingStore(this.texts, this.listeners);
		}

		@Override
		protected Set<StoreCapability> expectedCapabilities() {
			Set<StoreCapability> all = EnumSet.copyOf(OF_STATE);
			all.add(StoreCapability.WAKE_UPS);
			all.add(StoreCapability.CLAIMS);
			return all;
		}

	}

	/** The view that one instance has of a map; it has only what it has to. */
	private static class PollingStore extends CompareAndSwapLockStore {

		private final Map<LockKey, String> texts;

		PollingStore(Map<LockKey, String> texts) {
			super(Duration.ofSeconds(60));
			this.texts = texts;
		}

		@Override
		protected CompletableFuture<Stored> read(LockKey key) {
			return CompletableFuture
				.completedFuture(new Stored(this.texts.get(key), (System.nanoTime() - ORIGIN) / 1000));
		}

		@Override
		protected CompletableFuture<Boolean> replace(LockKey key, String expected, String text, Duration lifetime) {
			return CompletableFuture.completedFuture((expected != null) ? this.texts.replace(key, expected, text)
					: this.texts.putIfAbsent(key, text) == null);
		}

		@Override
		public void start(String instance, WakeUpListener listener) {
			// It has no wake-ups.
		}

		@Override
		public Duration commandTimeout() {
			return Duration.ofSeconds(1);
		}

		@Override
		public void close() {
			// There is nothing to close.
		}

	}

	private static final class WakingStore extends PollingStore {

		private final Map<String, WakeUpListener> listeners;

		private String instance;

		WakingStore(Map<LockKey, String> texts, Map<String, WakeUpListener> listeners) {
			super(texts);
			this.listeners = listeners;
		}

		@Override
		public Set<StoreCapability> capabilities() {
			Set<StoreCapability> all = super.capabilities();
			all.add(StoreCapability.WAKE_UPS);
			all.add(StoreCapability.CLAIMS);
			return all;
		}

		@Override
		protected void wakeUp(WakeUp wakeUp) {
			WakeUpListener listener = this.listeners.get(wakeUp.instance());
			if (listener != null) {
				wakeUp.tell(listener);
			}
		}

		@Override
		public void start(String instance, WakeUpListener listener) {
			this.instance = instance;
			this.listeners.put(instance, listener);
			listener.wakeUpAll();
		}

		@Override
		public void close() {
			this.listeners.remove(this.instance);
		}

	}

}

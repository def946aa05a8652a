package io.distributedlock.state;

import io.distributedlock.store.StoreCapability;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.WakeUpListener;
import io.distributedlock.test.store.LockStoreFairContract;
import io.distributedlock.test.store.LockStoreInspectionContractTests;

/** The contract on a map from keys to texts. */
@Execution(ExecutionMode.CONCURRENT)
class CompareAndSwapLockStoreContractTests extends LockStoreInspectionContractTests implements LockStoreFairContract {

	private final Map<LockKey, String> texts = new ConcurrentHashMap<>();

	private final Map<String, WakeUpListener> listeners = new ConcurrentHashMap<>();

	private final long origin = System.nanoTime();

	@Override
	protected LockStore createStore() {
		return new MapStore();
	}

	@Override
	protected Set<StoreCapability> expectedCapabilities() {
		return EnumSet.complementOf(EnumSet.of(StoreCapability.KEY_SETS, StoreCapability.CALLER_THREAD));
	}

	@Override
	protected void awaitListening(LockStore store, AtomicInteger wokenAll, AcquireCommand command) {
		// It listens from the start.
	}

	/** The view that one instance has of the map. */
	private final class MapStore extends CompareAndSwapLockStore {

		private String instance;

		MapStore() {
			super(Duration.ofSeconds(60));
		}

		@Override
		protected CompletableFuture<Stored> read(LockKey key) {
			long micros = (System.nanoTime() - CompareAndSwapLockStoreContractTests.this.origin) / 1000;
			return CompletableFuture
				.completedFuture(new Stored(CompareAndSwapLockStoreContractTests.this.texts.get(key), micros));
		}

		@Override
		protected CompletableFuture<Boolean> replace(LockKey key, String expected, String text, Duration lifetime) {
			Map<LockKey, String> texts = CompareAndSwapLockStoreContractTests.this.texts;
			return CompletableFuture.completedFuture(
					(expected != null) ? texts.replace(key, expected, text) : texts.putIfAbsent(key, text) == null);
		}

		@Override
		protected void wakeUp(WakeUp wakeUp) {
			WakeUpListener listener = CompareAndSwapLockStoreContractTests.this.listeners.get(wakeUp.instance());
			if (listener != null) {
				wakeUp.tell(listener);
			}
		}

		@Override
		public void start(String instance, WakeUpListener listener) {
			this.instance = instance;
			CompareAndSwapLockStoreContractTests.this.listeners.put(instance, listener);
		}

		@Override
		public Duration commandTimeout() {
			return Duration.ofSeconds(1);
		}

		@Override
		public void close() {
			CompareAndSwapLockStoreContractTests.this.listeners.remove(this.instance);
		}

	}

}

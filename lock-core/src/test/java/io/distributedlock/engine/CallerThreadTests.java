package io.distributedlock.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.line.QueueView;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.CallerThread;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** For which commands the engine lends the thread that calls the store. */
class CallerThreadTests {

	private final List<String> lent = new CopyOnWriteArrayList<>();

	private final LockStore memory = new MemoryLockStore();

	private final DefaultLockRegistry registry = new DefaultLockRegistry(watched(EnumSet.allOf(StoreCapability.class)));

	/** Notes for how many milliseconds it could have the thread. */
	private LockStore watched(Set<StoreCapability> capabilities) {
		return (LockStore) Proxy.newProxyInstance(LockStore.class.getClassLoader(), new Class<?>[] { LockStore.class },
				(proxy, method, arguments) -> {
					if (method.getName().equals("capabilities")) {
						return capabilities;
					}
					long nanos = CallerThread.take();
					if (nanos != 0) {
						this.lent.add(method.getName() + ((nanos <= 500_000_000) ? " within the budget" : ""));
					}
					try {
						return method.invoke(this.memory, arguments);
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@AfterEach
	void close() {
		this.registry.close();
	}

	@Test
	void threadOfACallerWhoBlocksIsLentForItsOwnCommands() throws InterruptedException {
		LeaseLock lock = this.registry.getLock("a");
		lock.lock();
		lock.lock();
		lock.unlock();
		lock.unlock();
		assertThat(lock.tryLock(500, TimeUnit.MILLISECONDS)).isTrue();
		lock.unlock();
		assertThat(this.lent).containsExactly("acquire", "release", "acquire within the budget", "release");
	}

	/** A caller that releases must not wait for the request of the next waiter. */
	@Test
	void threadOfAnotherCallerIsNotLentForAWaiter() {
		LeaseLock lock = this.registry.getLock("a");
		lock.lock();
		CompletableFuture<Void> waiter = CompletableFuture.runAsync(() -> {
			lock.lock();
			lock.unlock();
		});
		Awaitility.await()
			.until(() -> QueueView.inLine(this.registry.engine().queues.index.all().iterator().next()) > 0);
		lock.unlock();
		waiter.join();
		assertThat(this.lent).containsExactly("acquire", "release", "release");
	}

	@Test
	void threadOfACallerWhoDoesNotBlockIsNotLent() {
		Lease lease = this.registry.acquireAsync(LockRequest.of("a").waitFor(Duration.ofSeconds(20)))
			.toCompletableFuture()
			.join();
		lease.release().toCompletableFuture().join();
		assertThat(this.lent).isEmpty();
	}

	/** Each command of a store that never blocks had a thread-local value of its own. */
	@Test
	void threadIsNotLentToAStoreThatDoesNotWantIt() {
		try (DefaultLockRegistry other = new DefaultLockRegistry(watched(this.memory.capabilities()))) {
			LeaseLock lock = other.getLock("a");
			lock.lock();
			lock.unlock();
			other.acquire(LockRequest.of("b")).close();
		}
		assertThat(this.lent).isEmpty();
	}

	@Test
	void threadIsLentOnce() {
		CallerThread.lend(7, () -> {
			assertThat(CallerThread.take()).isEqualTo(7);
			assertThat(CallerThread.take()).isZero();
			return "";
		});
		CallerThread.lend(7, () -> "");
		assertThat(CallerThread.take()).as("after the command").isZero();
	}

}

package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockException;
import io.distributedlock.LockInspection;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.test.store.DelegatingLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * A caller on the thread on which answers come waited its whole budget for an answer that
 * could not come, and was told that the store is not reachable.
 */
class WaiterAnsweringThreadTests {

	private static final String KEY = "order";

	private final ExecutorService answers = Executors
		.newSingleThreadExecutor((task) -> new Thread(task, "event-loop-1"));

	private final Thread answering = thread(this.answers);

	private final DefaultLockRegistry registry = new DefaultLockRegistry(
			new AnsweringStore(new MemoryLockStore(), this.answers, this.answering));

	@AfterEach
	void close() {
		this.registry.close();
		this.answers.shutdown();
	}

	private static Thread thread(ExecutorService executor) {
		return CompletableFuture.supplyAsync(Thread::currentThread, executor).join();
	}

	private <T> T onAnsweringThread(Callable<T> call) throws Throwable {
		try {
			return this.answers.submit(call).get(20, TimeUnit.SECONDS);
		}
		catch (ExecutionException ex) {
			throw ex.getCause();
		}
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource("calls")
	void callWhenItWouldWaitForItselfIsRefusedAtOnce(String name, Call call) throws Throwable {
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> onAnsweringThread(() -> call.on(this.registry)))
			.isExactlyInstanceOf(LockException.class)
			.withMessageContaining("order")
			.withMessageContaining("on thread 'event-loop-1', on which answers of the store come")
			.withMessageContaining("publishOn")
			.withMessageContaining("acquireAsync")
			.withMessageContaining("distributed-lock.redis.connection=own");
		assertFree();
	}

	private static Stream<Arguments> calls() {
		LockRequest request = LockRequest.of(KEY);
		Duration brief = Duration.ofMillis(500);
		return Stream.of(call("acquire", (registry) -> registry.acquire(request)),
				call("acquire once", (registry) -> registry.acquire(request.waitFor(Duration.ZERO))),
				call("tryAcquire", (registry) -> registry.tryAcquire(request)),
				call("acquire several", (registry) -> registry.acquire(LockRequest.ofAll(KEY, "other"))),
				call("lock", (registry) -> lock(registry, LeaseLock::lock)),
				call("lockInterruptibly", (registry) -> lock(registry, LeaseLock::lockInterruptibly)),
				call("tryLock", (registry) -> lock(registry, LeaseLock::tryLock)),
				call("tryLock in time", (registry) -> lock(registry, (lock) -> lock.tryLock(1, TimeUnit.MINUTES))),
				call("tryLock with ttl", (registry) -> lock(registry, (lock) -> lock.tryLock(brief, brief))),
				call("write lock",
						(registry) -> lock(registry.getReadWriteLock(KEY).writeLock(), LeaseLock::lockInterruptibly)),
				call("template",
						(registry) -> new LockTemplate(registry, LockProfiles.DEFAULTS).execute(KEY, () -> "body")),
				call("inspect", (registry) -> registry.inspect("", KEY)),
				call("forceRelease", (registry) -> registry.forceRelease("", KEY, null)));
	}

	private static Arguments call(String name, Call call) {
		return arguments(name, call);
	}

	private static Object lock(LockRegistry registry, Locking locking) throws Exception {
		return lock(registry.getLock(KEY), locking);
	}

	private static Object lock(LeaseLock lock, Locking locking) throws Exception {
		locking.on(lock);
		return lock;
	}

	/** Nothing that was sent for the refused caller keeps the lock. */
	private void assertFree() {
		this.registry.acquire(LockRequest.of(KEY).waitFor(Duration.ofSeconds(10))).close();
	}

	@Test
	void callWhenAnotherCallerOfThisInstanceHasTheLockIsRefused() {
		try (Lease held = this.registry.acquire(LockRequest.of(KEY))) {
			assertThatExceptionOfType(LockException.class)
				.isThrownBy(() -> onAnsweringThread(() -> this.registry.acquire(LockRequest.of(KEY))))
				.withMessageContaining("event-loop-1");
			assertThat(this.registry.waiting()).isEmpty();
		}
	}

	@Test
	void callWhenTheOwnerEntersAgainNeedsNoAnswer() throws Throwable {
		Lease held = this.registry.acquireAsync(LockRequest.of(KEY).ownedBy(this.answering))
			.toCompletableFuture()
			.join();
		assertThat(onAnsweringThread(() -> {
			LeaseLock lock = this.registry.getLock(KEY);
			lock.lock();
			boolean entered = lock.isHeldByCurrentThread();
			lock.unlock();
			return entered;
		})).isTrue();
		held.close();
	}

	/** It goes on at once, and the lock is free as soon as the answer has come. */
	@Test
	void releaseWhenItsAnswerComesOnThisThreadIsNotWaitedFor() throws Throwable {
		Lease lease = this.registry.acquire(LockRequest.of(KEY));
		Lease several = this.registry.acquire(LockRequest.ofAll("a", "b"));
		assertThat(onAnsweringThread(() -> {
			lease.close();
			several.close();
			return lease.isHeld() || several.isHeld();
		})).isFalse();
		await().until(() -> this.registry.held().isEmpty());
		assertFree();
	}

	@Test
	void asyncCallOnTheAnsweringThreadIsServed() throws Throwable {
		CompletableFuture<Lease> lease = onAnsweringThread(
				() -> this.registry.acquireAsync(LockRequest.of(KEY)).toCompletableFuture());
		lease.join().close();
	}

	/** Blocks, or is refused. */
	private interface Call {

		Object on(DefaultLockRegistry registry) throws Exception;

	}

	private interface Locking {

		void on(LeaseLock lock) throws Exception;

	}

	/** Brings all answers on one thread, as an event loop does. */
	private static final class AnsweringStore extends DelegatingLockStore {

		private final ExecutorService answers;

		private final Thread answering;

		AnsweringStore(MemoryLockStore delegate, ExecutorService answers, Thread answering) {
			super(delegate);
			this.answers = answers;
			this.answering = answering;
		}

		@Override
		public boolean isAnsweredBy(Thread thread) {
			return thread == this.answering;
		}

		@Override
		public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
			return later(super.acquire(command));
		}

		@Override
		public CompletableFuture<Ownership> release(ReleaseCommand command) {
			return later(super.release(command));
		}

		@Override
		public CompletableFuture<LockInspection> inspect(LockKey key) {
			return later(super.inspect(key));
		}

		@Override
		public CompletableFuture<Integer> forceRelease(ForceReleaseCommand command) {
			return later(super.forceRelease(command));
		}

		private <T> CompletableFuture<T> later(CompletableFuture<T> answer) {
			return answer.thenApplyAsync((value) -> value, this.answers);
		}

	}

}

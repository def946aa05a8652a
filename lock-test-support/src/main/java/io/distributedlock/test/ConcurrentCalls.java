package io.distributedlock.test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

import org.jspecify.annotations.Nullable;

import org.springframework.util.Assert;

/**
 * The outcome of a call that many threads have made at once, as the requests of many
 * users would be. All threads are there before the first one calls. They are new, so they
 * have neither the transaction of the test nor any other {@code ThreadLocal} of its
 * thread. Thread-safe.
 *
 * @param <T> the type of the results
 * @since 0.1.0
 */
public final class ConcurrentCalls<T extends @Nullable Object> {

	private static final Duration LONGEST_SILENCE = Duration.ofMinutes(1);

	private final List<T> results = Collections.synchronizedList(new ArrayList<>());

	private final List<Throwable> failures = Collections.synchronizedList(new ArrayList<>());

	private final Semaphore ended = new Semaphore(0);

	private ConcurrentCalls() {
	}

	/**
	 * Run an action on many threads at once, and wait until all have ended.
	 * @param callers the number of threads, at least one
	 * @param action the action, such as a call of a guarded method
	 * @return the outcome, with a {@code null} for each action that has returned
	 * @throws AssertionError if no action ends for a minute while some run; its cause has
	 * the stack of one of them, and all are interrupted
	 */
	@SuppressWarnings("NullAway") // infers Void for the type that the result has
	public static ConcurrentCalls<@Nullable Void> run(int callers, Action action) {
		return call(callers, () -> {
			action.run();
			return null;
		});
	}

	/**
	 * Make a call on many threads at once, and wait until all have ended.
	 * @param <T> the type of the result
	 * @param callers the number of threads, at least one
	 * @param call the call, such as that of a guarded method
	 * @return the outcome
	 * @throws AssertionError if no call ends for a minute while some run; its cause has
	 * the stack of one of them, and all are interrupted
	 */
	public static <T extends @Nullable Object> ConcurrentCalls<T> call(int callers, Callable<T> call) {
		return call(callers, call, LONGEST_SILENCE);
	}

	static <T extends @Nullable Object> ConcurrentCalls<T> call(int callers, Callable<T> call, Duration silence) {
		return call(callers, call, silence, Thread::start);
	}

	static <T extends @Nullable Object> ConcurrentCalls<T> call(int callers, Callable<T> call, Duration silence,
			Consumer<Thread> starter) {
		Assert.isTrue(callers > 0, () -> "The number of callers must be at least 1 but is " + callers);
		ConcurrentCalls<T> calls = new ConcurrentCalls<>();
		CountDownLatch ready = new CountDownLatch(callers);
		List<Thread> threads = IntStream.rangeClosed(1, callers)
			.mapToObj((number) -> new Thread(null, () -> calls.add(ready, call), "concurrent-call-" + number, 0, false))
			.toList();
		threads.forEach((thread) -> thread.setDaemon(true));
		start(threads, starter);
		calls.awaitAll(threads, silence);
		return calls;
	}

	/** Start all threads. If one cannot be started, the others would wait for it. */
	private static void start(List<Thread> threads, Consumer<Thread> starter) {
		try {
			threads.forEach(starter);
		}
		catch (Throwable ex) {
			threads.forEach(Thread::interrupt);
			throw ex;
		}
	}

	private void add(CountDownLatch ready, Callable<T> call) {
		try {
			ready.countDown();
			ready.await();
			this.results.add(call.call());
		}
		catch (Throwable ex) {
			this.failures.add(ex);
		}
		finally {
			this.ended.release();
		}
	}

	private void awaitAll(List<Thread> threads, Duration silence) {
		try {
			for (int number = 0; number < threads.size(); number++) {
				if (!this.ended.tryAcquire(silence.toMillis(), TimeUnit.MILLISECONDS)) {
					throw failure(threads.stream().filter(Thread::isAlive).toList(), silence);
				}
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			throw new IllegalStateException("The test was interrupted while its concurrent calls ran", ex);
		}
		finally {
			threads.forEach(Thread::interrupt);
		}
	}

	private static AssertionError failure(List<Thread> running, Duration silence) {
		AssertionError error = new AssertionError(
				"%d concurrent calls run, and none has ended for %d ms".formatted(running.size(), silence.toMillis()));
		running.stream().findFirst().ifPresent((thread) -> {
			Throwable place = new Throwable("The stack of " + thread.getName());
			place.setStackTrace(thread.getStackTrace());
			error.initCause(place);
		});
		return error;
	}

	/**
	 * The results of the calls that have returned, in the order in which they did.
	 * @return an unmodifiable list
	 */
	public List<T> results() {
		return Collections.unmodifiableList(this.results);
	}

	/**
	 * The exceptions and errors of all other calls, in the order in which they failed.
	 * @return an unmodifiable list
	 */
	public List<Throwable> failures() {
		return Collections.unmodifiableList(this.failures);
	}

	@Override
	public String toString() {
		return "%d results, failures: %s".formatted(this.results.size(), this.failures);
	}

	/** An action without a result, which may throw. */
	@FunctionalInterface
	public interface Action {

		/**
		 * Run the action.
		 * @throws Exception any failure
		 */
		void run() throws Exception;

	}

}

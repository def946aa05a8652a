package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.driver.RedisErrors;
import org.jspecify.annotations.Nullable;

/**
 * Derives futures whose cancellation reaches the command behind them.
 */
final class Futures {

	private Futures() {
	}

	/** The same answer, unless something is wrong with it. */
	static <T> CompletableFuture<T> checked(CompletableFuture<T> answer,
			Function<T, @Nullable LockStoreException> problems) {
		Derived<T> result = new Derived<>(answer);
		answer.whenComplete((value, failure) -> {
			LockStoreException problem = (failure == null) ? problems.apply(value) : null;
			result.pass(value, (problem != null) ? problem : failure);
		});
		return result;
	}

	/**
	 * Another attempt where the first one fails for a certain reason.
	 * @param first the first attempt
	 * @param reason for which failures
	 * @param other makes the other attempt
	 * @return the result of the attempt that was the last
	 */
	static <T> CompletableFuture<T> orElse(CompletableFuture<T> first, Predicate<Throwable> reason,
			Supplier<CompletableFuture<T>> other) {
		Derived<T> result = new Derived<>(first);
		first.whenComplete((value, failure) -> {
			if (failure != null && reason.test(failure)) {
				result.follow(other);
			}
			else {
				result.pass(value, failure);
			}
		});
		return result;
	}

	/**
	 * Something else when a first thing is done.
	 * @param first the first thing
	 * @param next makes the next one, if that is still wanted
	 * @return the result of the next one
	 */
	static <T> CompletableFuture<T> then(CompletableFuture<?> first, Supplier<CompletableFuture<T>> next) {
		Derived<T> result = new Derived<>(first);
		first.whenComplete((value, failure) -> {
			if (failure != null) {
				result.completeExceptionally(RedisErrors.unwrapped(failure));
			}
			else {
				result.follow(next);
			}
		});
		return result;
	}

	/**
	 * The elements of a list that is still to come.
	 * @param whole the list
	 * @param count how many elements it will have
	 * @return futures of them; the list's is cancelled when all of them are
	 */
	static <T> List<CompletableFuture<T>> parts(CompletableFuture<List<T>> whole, int count) {
		AtomicInteger wanted = new AtomicInteger(count);
		List<CompletableFuture<T>> parts = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			parts.add(new Part<>(whole, wanted));
		}
		whole.whenComplete((values, failure) -> {
			for (int i = 0; i < count; i++) {
				if (failure != null) {
					parts.get(i).completeExceptionally(RedisErrors.unwrapped(failure));
				}
				else {
					parts.get(i).complete(values.get(i));
				}
			}
		});
		return parts;
	}

	/**
	 * All elements of lists that are still to come; cancelling that cancels the lists.
	 */
	static <T> CompletableFuture<List<T>> all(List<CompletableFuture<List<T>>> lists) {
		CompletableFuture<List<T>> whole = CompletableFuture.allOf(lists.toArray(CompletableFuture<?>[]::new))
			.thenApply((nothing) -> lists.stream().flatMap((list) -> list.join().stream()).toList());
		whole.whenComplete((values, failure) -> lists.forEach((list) -> list.cancel(true)));
		return whole;
	}

	/** Cancelling it cancels its present source. */
	private static final class Derived<T> extends CompletableFuture<T> {

		private volatile CompletableFuture<?> source;

		Derived(CompletableFuture<?> source) {
			this.source = source;
		}

		void follow(Supplier<CompletableFuture<T>> next) {
			if (isDone()) {
				return;
			}
			CompletableFuture<T> followed = next.get();
			this.source = followed;
			followed.whenComplete(this::pass);
			if (isCancelled()) {
				followed.cancel(true);
			}
		}

		void pass(T value, @Nullable Throwable failure) {
			if (failure == null) {
				complete(value);
			}
			else {
				completeExceptionally(RedisErrors.unwrapped(failure));
			}
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			this.source.cancel(mayInterruptIfRunning);
			return cancelled;
		}

	}

	/** One element of what comes together. */
	private static final class Part<T> extends CompletableFuture<T> {

		private final CompletableFuture<?> whole;

		private final AtomicInteger wanted;

		Part(CompletableFuture<?> whole, AtomicInteger wanted) {
			this.whole = whole;
			this.wanted = wanted;
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean before = isDone();
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			if (cancelled && !before && this.wanted.decrementAndGet() == 0) {
				this.whole.cancel(mayInterruptIfRunning);
			}
			return cancelled;
		}

	}

}

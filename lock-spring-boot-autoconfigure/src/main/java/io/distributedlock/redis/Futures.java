package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.distributedlock.LockStoreException;
import org.jspecify.annotations.Nullable;

/**
 * Derives futures whose cancellation reaches the command behind them.
 */
final class Futures {

	private Futures() {
	}

	static <T> CompletableFuture<T> translated(CompletableFuture<Object> answer, Function<Object, T> reader,
			Function<Throwable, LockStoreException> failures) {
		CompletableFuture<T> result = new Derived<>(answer);
		answer.whenComplete((value, failure) -> {
			if (failure == null) {
				read(result, value, reader, failures);
			}
			else if (answer.isCancelled()) {
				result.cancel(false);
			}
			else {
				result.completeExceptionally(failures.apply(unwrapped(failure)));
			}
		});
		return result;
	}

	private static <T> void read(CompletableFuture<T> result, Object value, Function<Object, T> reader,
			Function<Throwable, LockStoreException> failures) {
		T outcome;
		try {
			outcome = reader.apply(value);
		}
		catch (LockStoreException ex) {
			result.completeExceptionally(ex);
			return;
		}
		catch (RuntimeException ex) {
			result.completeExceptionally(failures.apply(ex));
			return;
		}
		result.complete(outcome);
	}

	/** The same answer, unless something is wrong with it. */
	static <T> CompletableFuture<T> checked(CompletableFuture<T> answer,
			Function<T, @Nullable LockStoreException> problems) {
		CompletableFuture<T> result = new Derived<>(answer);
		answer.whenComplete((value, failure) -> {
			LockStoreException problem = (failure == null) ? problems.apply(value) : null;
			if (failure != null || problem != null) {
				result.completeExceptionally((problem != null) ? problem : unwrapped(failure));
			}
			else {
				result.complete(value);
			}
		});
		return result;
	}

	/**
	 * Something else where the first attempt fails for a certain reason.
	 * @param first the first attempt
	 * @param reason for what reason
	 * @param other what to do then
	 * @return what the first or the second attempt gives
	 */
	static <T> CompletableFuture<T> orElse(CompletableFuture<T> first, Predicate<Throwable> reason,
			Supplier<CompletableFuture<T>> other) {
		return instead(first, (value, failure) -> failure != null && reason.test(failure), other);
	}

	/**
	 * Something else where the first attempt gives a certain answer.
	 * @param first the first attempt
	 * @param sentOn which answer
	 * @param other what to do then
	 * @return what the first or the second attempt gives
	 */
	static <T> CompletableFuture<T> unless(CompletableFuture<T> first, Predicate<T> sentOn,
			Supplier<CompletableFuture<T>> other) {
		return instead(first, (value, failure) -> failure == null && sentOn.test(value), other);
	}

	private static <T> CompletableFuture<T> instead(CompletableFuture<T> first,
			BiPredicate<T, @Nullable Throwable> reason, Supplier<CompletableFuture<T>> other) {
		CompletableFuture<T> result = new Derived<>(first);
		first.whenComplete((value, failure) -> {
			if (!result.isDone() && reason.test(value, failure)) {
				CompletableFuture<T> next = other.get();
				next.whenComplete((second, again) -> pass(result, second, again));
				result.whenComplete((answer, end) -> next.cancel(true));
			}
			else {
				pass(result, value, failure);
			}
		});
		return result;
	}

	private static <T> void pass(CompletableFuture<T> result, T value, @Nullable Throwable failure) {
		if (failure == null) {
			result.complete(value);
		}
		else {
			result.completeExceptionally(unwrapped(failure));
		}
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
					parts.get(i).completeExceptionally(unwrapped(failure));
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

	private static Throwable unwrapped(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/** Cancels what it comes from. */
	private static final class Derived<T> extends CompletableFuture<T> {

		private final CompletableFuture<?> source;

		Derived(CompletableFuture<?> source) {
			this.source = source;
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

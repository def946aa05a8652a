package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Function;

import io.distributedlock.LockStoreException;

/**
 * Derives futures whose cancellation reaches the command behind them.
 */
final class Futures {

	private Futures() {
	}

	static <T> CompletableFuture<T> translated(CompletableFuture<Object> answer, Function<Object, T> reader,
			Function<Throwable, LockStoreException> failures) {
		CompletableFuture<T> result = new Derived<>(List.of(answer));
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

	/** All parts one after the other; fails with the first that fails. */
	static <T> CompletableFuture<List<T>> joined(List<CompletableFuture<List<T>>> parts) {
		CompletableFuture<List<T>> result = new Derived<>(parts);
		CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new)).whenComplete((nothing, failure) -> {
			if (failure != null) {
				result.completeExceptionally(unwrapped(failure));
				return;
			}
			List<T> all = new ArrayList<>();
			parts.forEach((part) -> all.addAll(part.join()));
			result.complete(all);
		});
		return result;
	}

	private static Throwable unwrapped(Throwable failure) {
		return (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause() : failure;
	}

	/** Cancels what it comes from. */
	private static final class Derived<T> extends CompletableFuture<T> {

		private final List<? extends CompletableFuture<?>> sources;

		Derived(List<? extends CompletableFuture<?>> sources) {
			this.sources = sources;
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			this.sources.forEach((source) -> source.cancel(mayInterruptIfRunning));
			return cancelled;
		}

	}

}

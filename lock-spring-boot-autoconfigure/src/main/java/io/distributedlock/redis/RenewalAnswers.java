package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.redis.driver.RedisErrors;
import org.jspecify.annotations.Nullable;

/**
 * The renewals of one script. Each lease has an answer of its own; the script is
 * cancelled when all of them are.
 */
final class RenewalAnswers {

	/** How many leases one script renews at most. */
	static final int MOST = 350;

	private final CompletableFuture<List<Boolean>> whole;

	private final AtomicInteger wanted;

	private final List<CompletableFuture<Boolean>> answers;

	RenewalAnswers(CompletableFuture<List<Boolean>> whole, int count) {
		this.whole = whole;
		this.wanted = new AtomicInteger(count);
		this.answers = new ArrayList<>(count);
		for (int i = 0; i < count; i++) {
			this.answers.add(new Answer());
		}
		whole.whenComplete(this::ended);
	}

	List<CompletableFuture<Boolean>> answers() {
		return this.answers;
	}

	private void ended(List<Boolean> values, @Nullable Throwable failure) {
		for (int i = 0; i < this.answers.size(); i++) {
			if (failure != null) {
				this.answers.get(i).completeExceptionally(RedisErrors.unwrapped(failure));
			}
			else {
				this.answers.get(i).complete(values.get(i));
			}
		}
	}

	private final class Answer extends CompletableFuture<Boolean> {

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean before = isDone();
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			if (cancelled && !before && RenewalAnswers.this.wanted.decrementAndGet() == 0) {
				RenewalAnswers.this.whole.cancel(mayInterruptIfRunning);
			}
			return cancelled;
		}

	}

}

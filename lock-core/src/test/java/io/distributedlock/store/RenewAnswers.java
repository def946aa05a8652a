package io.distributedlock.store;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Puts the answers to renewals together, and takes them apart.
 */
public final class RenewAnswers {

	private RenewAnswers() {
	}

	/** All answers, when the last is there. */
	public static List<Ownership> join(List<CompletableFuture<Ownership>> answers) {
		return answers.stream().map(CompletableFuture::join).toList();
	}

	/**
	 * Each of some answers that come together, and are not wanted when none is any more.
	 */
	public static List<CompletableFuture<Ownership>> apart(CompletableFuture<List<Ownership>> together, int count) {
		List<CompletableFuture<Ownership>> answers = new ArrayList<>(count);
		AtomicInteger wanted = new AtomicInteger(count);
		for (int i = 0; i < count; i++) {
			int index = i;
			CompletableFuture<Ownership> answer = together.thenApply((all) -> all.get(index));
			answer.whenComplete((owner, ex) -> {
				if (answer.isCancelled() && wanted.decrementAndGet() == 0) {
					together.cancel(true);
				}
			});
			answers.add(answer);
		}
		return answers;
	}

}

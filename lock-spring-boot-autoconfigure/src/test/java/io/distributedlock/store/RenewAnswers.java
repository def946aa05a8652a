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
	public static List<Boolean> join(List<CompletableFuture<Boolean>> answers) {
		return answers.stream().map(CompletableFuture::join).toList();
	}

	/**
	 * Each of some answers that come together, and are not wanted when none is any more.
	 */
	public static List<CompletableFuture<Boolean>> apart(CompletableFuture<List<Boolean>> together, int count) {
		List<CompletableFuture<Boolean>> answers = new ArrayList<>(count);
		AtomicInteger wanted = new AtomicInteger(count);
		for (int i = 0; i < count; i++) {
			int index = i;
			CompletableFuture<Boolean> answer = together.thenApply((all) -> all.get(index));
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

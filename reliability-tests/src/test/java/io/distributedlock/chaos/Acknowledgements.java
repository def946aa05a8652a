package io.distributedlock.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Whether the store has acknowledged what a thread gives back. The library says no more
 * than that the lock was held to the end: a release without answer is tried again behind
 * the back of the caller, and until it counts the lock is taken. Thread-safe.
 */
final class Acknowledgements {

	/** What the store was asked by the thread, while that wants to know. */
	private final ThreadLocal<@Nullable List<CompletableFuture<?>>> asked = new ThreadLocal<>();

	/** A release was sent. */
	<T> CompletableFuture<T> of(CompletableFuture<T> answer) {
		List<CompletableFuture<?>> answers = this.asked.get();
		if (answers != null) {
			answers.add(answer);
		}
		return answer;
	}

	/**
	 * Give something back.
	 * @return whether the store has acknowledged all that it was asked meanwhile
	 */
	boolean all(Runnable release) {
		List<CompletableFuture<?>> answers = new ArrayList<>();
		this.asked.set(answers);
		try {
			release.run();
		}
		finally {
			this.asked.remove();
		}
		return answers.stream().allMatch((answer) -> answer.isDone() && !answer.isCompletedExceptionally());
	}

}

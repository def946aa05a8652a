package io.distributedlock.chaos;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * Tells whether the store has acknowledged the releases of a thread. The library only
 * says that the lock was held to the end: a release without an answer is tried again in
 * the background, and the lock stays taken until it is applied. Thread-safe.
 */
final class Acknowledgements {

	/** Answers to the commands of the thread, while it waits for them. */
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
	 * Release a lock.
	 * @return whether the store has acknowledged all commands that were sent meanwhile
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

package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Asks a server again when its connection broke while it was set up. Lettuce may lose
 * what the server said: a refused password or database shows as a closed connection if
 * the refusal is noticed by another thread than that of the connection.
 */
final class RepeatedContact implements Supplier<CompletableFuture<?>> {

	/** Longer than the pause between two attempts to connect to a node. */
	private static final Duration FIRST_PAUSE = Duration.ofMillis(100);

	private static final int MOST_REPETITIONS = 3;

	private final Supplier<CompletableFuture<?>> contact;

	RepeatedContact(Supplier<CompletableFuture<?>> contact) {
		this.contact = contact;
	}

	@Override
	public CompletableFuture<?> get() {
		return attempt(MOST_REPETITIONS, FIRST_PAUSE);
	}

	private CompletableFuture<?> attempt(int repetitions, Duration pause) {
		CompletableFuture<?> asked = this.contact.get();
		if (repetitions == 0) {
			return asked;
		}
		return asked.thenApply((answer) -> CompletableFuture.<Object>completedFuture(answer))
			.exceptionally((failure) -> RedisFailures.isBrokenHandshake(failure)
					? later(() -> attempt(repetitions - 1, pause.multipliedBy(2)), pause)
					: CompletableFuture.failedFuture(failure))
			.thenCompose((result) -> result);
	}

	private static CompletableFuture<Object> later(Supplier<CompletionStage<?>> attempt, Duration pause) {
		return CompletableFuture
			.supplyAsync(attempt, CompletableFuture.delayedExecutor(pause.toMillis(), TimeUnit.MILLISECONDS))
			.thenCompose((asked) -> asked.thenApply((answer) -> answer));
	}

}

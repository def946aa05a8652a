package io.distributedlock.redis;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link RepeatedContact} with a server that is made up.
 */
class RepeatedContactTests {

	private static final int MOST_ATTEMPTS = 4;

	private final Deque<CompletableFuture<?>> answers = new ArrayDeque<>();

	private final AtomicInteger attempts = new AtomicInteger();

	private final RepeatedContact contact = new RepeatedContact(() -> {
		this.attempts.incrementAndGet();
		return (this.answers.size() > 1) ? this.answers.removeFirst() : this.answers.getFirst();
	});

	private static CompletableFuture<?> broken() {
		return CompletableFuture.failedFuture(new CompletionException(
				new IllegalStateException("Cannot", new IllegalStateException("Connection closed prematurely"))));
	}

	@Test
	void contactWhenAnsweredIsMadeOnce() {
		this.answers.add(CompletableFuture.completedFuture(true));
		assertThat(this.contact.get()).isCompleted();
		assertThat(this.attempts).hasValue(1);
	}

	@Test
	void contactWhenRefusedIsMadeOnce() {
		this.answers.add(CompletableFuture.failedFuture(new IllegalStateException("WRONGPASS")));
		assertThat(this.contact.get()).isCompletedExceptionally();
		assertThat(this.attempts).hasValue(1);
	}

	@Test
	void contactWhenTheConnectionBrokeTwiceAndIsThenRefusedFailsWithTheRefusal() {
		IllegalStateException refusal = new IllegalStateException("WRONGPASS");
		this.answers.add(broken());
		this.answers.add(broken());
		this.answers.add(CompletableFuture.failedFuture(refusal));
		assertThat(this.contact.get()).failsWithin(20, SECONDS).withThrowableThat().havingRootCause().isSameAs(refusal);
		assertThat(this.attempts).hasValue(3);
	}

	@Test
	void contactWhenTheConnectionAlwaysBreaksFailsAfterTheLastAttempt() {
		this.answers.add(broken());
		assertThat(this.contact.get()).failsWithin(20, SECONDS)
			.withThrowableThat()
			.havingRootCause()
			.withMessage("Connection closed prematurely");
		assertThat(this.attempts).hasValue(MOST_ATTEMPTS);
	}

}

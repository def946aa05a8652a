package io.distributedlock.redlock;

import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class MemberTests {

	private final Member member = new Member(new VirtualNode("node", new ManualTimer()).connect());

	private final CompletableFuture<String> command = new CompletableFuture<>();

	@Test
	void memberWhenItsCommandIsCancelledIsNotInDoubt() {
		this.member.ask((node) -> this.command);
		this.command.cancel(true);
		assertThat(this.member.isDoubtful()).isFalse();
	}

	/** What is derived from a cancelled future fails otherwise. */
	@Test
	void memberWhenWhatItsAnswerComesFromIsCancelledIsNotInDoubt() {
		CompletableFuture<Integer> answer = this.member.ask((node) -> this.command.thenApply(String::length));
		this.command.cancel(true);
		assertThat(answer).isCompletedExceptionally().isNotCancelled();
		assertThat(this.member.isDoubtful()).isFalse();
	}

	@Test
	void memberWhenACommandIsCancelledAfterASilenceStaysInDoubt() {
		this.member.ask((node) -> this.command);
		this.member.silent();
		this.command.cancel(true);
		assertThat(this.member.isDoubtful()).isTrue();
	}

	@Test
	void memberWhenItFailsIsInDoubtUntilItAnswers() {
		this.member.ask((node) -> this.command);
		this.command.completeExceptionally(new LockStoreException(Kind.UNAVAILABLE, "connection reset", null));
		assertThat(this.member.isDoubtful()).isTrue();
		this.member.ask((node) -> CompletableFuture.completedFuture("here again"));
		assertThat(this.member.isDoubtful()).isFalse();
	}

}

package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.redis.internal.driver.ScriptCall;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** {@link RenewalAnswers}: the commands for renewals, and their cancellation. */
class RenewalAnswersTests {

	private static final RuntimeException REFUSAL = new IllegalStateException("NOPERM No permissions to access a key");

	private final LockServer server = WireCommand.server(RedisStoreSettings.DEFAULTS);

	private final List<ScriptCall> sent = new ArrayList<>();

	private final ScriptRunner runner = new SendingRunner(this.sent::add);

	private List<CompletableFuture<Ownership>> renew(int count) {
		return RenewalAnswers.send(this.server, this.runner, IntStream.range(0, count)
			.mapToObj((i) -> new RenewCommand(new LockKey("", "k" + i), new RequestId(1, 1), Duration.ofSeconds(3)))
			.toList());
	}

	/** Return the calls that were sent since the last look. */
	private List<ScriptCall> next() {
		List<ScriptCall> next = List.copyOf(this.sent);
		this.sent.clear();
		return next;
	}

	private static String keys(ScriptCall call) {
		return Stream.of(call.keys)
			.map((key) -> new String(key).substring("lock::k".length()))
			.collect(Collectors.joining(" "));
	}

	private static void answer(ScriptCall call) {
		call.complete(Stream.generate(() -> 1L).limit(call.keys.length).toList());
	}

	/** Refuse each call that has a key until the key is alone. */
	private int refuse(String guilty) {
		int commands = 0;
		while (!this.sent.isEmpty()) {
			for (ScriptCall call : next()) {
				commands++;
				if (List.of(keys(call).split(" ")).contains(guilty)) {
					call.completeExceptionally(REFUSAL);
				}
				else {
					answer(call);
				}
			}
		}
		return commands;
	}

	/** They were divided down to single ones, which then went alone for ten minutes. */
	@Test
	void renewalsWhenTheUserMayNotRunScriptsAreNotDivided() {
		List<CompletableFuture<Ownership>> answers = renew(20);
		next().get(0)
			.completeExceptionally(
					new IllegalStateException("NOPERM this user has no permissions to run the 'evalsha' command"));
		assertThat(answers).allMatch(CompletableFuture::isCompletedExceptionally);
		assertThat(this.sent).isEmpty();
		assertThat(this.server.refused.empty).isTrue();
	}

	@Test
	void renewalWhenTheUserMayNotRunScriptsDoesNotGoAloneLater() {
		renew(1);
		next().get(0)
			.completeExceptionally(
					new IllegalStateException("NOPERM this user has no permissions to run the 'evalsha' command"));
		assertThat(this.server.refused.empty).isTrue();
	}

	@Test
	void oneOfManyIsFoundWithFewCommandsAndThenGoesAlone() {
		for (int guilty : new int[] { 0, 101, 349 }) {
			List<CompletableFuture<Ownership>> answers = renew(350);
			assertThat(refuse("" + guilty)).isBetween(4 * 4, 1 + 4 * 5);
			assertThat(answers.get(guilty)).isCompletedExceptionally();
			assertThat(answers.stream()
				.filter((answer) -> !answer.isCompletedExceptionally() && answer.join() == Ownership.HELD))
				.hasSize(349);
			renew(350);
			assertThat(this.sent).hasSize(2);
			assertThat(keys(this.sent.get(1))).isEqualTo("" + guilty);
			next().forEach(RenewalAnswersTests::answer);
			renew(350);
			assertThat(next()).as("once it was answered").hasSize(1);
		}
	}

	@Test
	void whatIsRefusedForAllIsNotDivided() {
		List<CompletableFuture<Ownership>> answers = renew(10);
		next().get(0).completeExceptionally(new IllegalStateException("NOREPLICAS Not enough good replicas to write."));
		assertThat(this.sent).isEmpty();
		assertThat(answers).allMatch(CompletableFuture::isCompletedExceptionally);
		renew(10);
		assertThat(next()).hasSize(1);
	}

	@Test
	void whatIsNotWaitedForIsNotSentAgainAndIsWithdrawn() {
		List<CompletableFuture<Ownership>> answers = renew(8);
		ScriptCall whole = next().get(0);
		answers.get(0).cancel(true);
		answers.get(1).cancel(true);
		whole.completeExceptionally(REFUSAL);
		List<ScriptCall> parts = next();
		assertThat(parts).map(RenewalAnswersTests::keys).containsExactly("2", "3 4", "5", "6 7");
		AtomicInteger withdrawn = new AtomicInteger();
		parts.forEach((part) -> part.begin(withdrawn::incrementAndGet));
		answers.get(3).cancel(true);
		assertThat(withdrawn).hasValue(0);
		answers.get(4).cancel(true);
		answers.get(4).cancel(true);
		assertThat(withdrawn).hasValue(1);
		assertThat(parts.get(1).isDone()).isTrue();
		assertThat(parts.get(3).isDone()).isFalse();
	}

}

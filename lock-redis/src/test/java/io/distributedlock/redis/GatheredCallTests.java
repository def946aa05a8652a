package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.internal.driver.GatheredCall;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Busy;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GatheredCallTests {

	private final LockServer server = WireCommand.server(RedisStoreSettings.DEFAULTS);

	/** The calls that were sent since the last look. */
	private final List<ScriptCall> sent = new ArrayList<>();

	private final ScriptRunner runner = new SendingRunner(this.sent::add);

	private final ScriptCommand<AcquireOutcome> first = acquire("a");

	private final ScriptCommand<AcquireOutcome> second = acquire("b");

	private final ScriptCommand<Ownership> third = ScriptCommand.release(this.server,
			new ReleaseCommand(new LockKey("", "c"), new RequestId(1, 1)));

	private final List<ScriptCall> calls;

	private final ScriptCall all;

	GatheredCallTests() {
		this.third.send(this.runner);
		this.calls = next();
		this.all = together(this.calls);
	}

	private List<ScriptCall> next() {
		List<ScriptCall> next = List.copyOf(this.sent);
		this.sent.clear();
		return next;
	}

	private ScriptCall together(List<ScriptCall> several) {
		return GatheredCall.of(Objects.requireNonNull(this.server.gathering), several, this.runner::run);
	}

	private ScriptCommand<AcquireOutcome> acquire(String key) {
		AcquireCommand command = new AcquireCommand(new LockKey("", key), new RequestId(1, 1), Duration.ofSeconds(3),
				Duration.ZERO, Duration.ZERO);
		return ScriptCommand.acquire(this.server, command, true, this.server.format::outcome).send(this.runner);
	}

	private static byte[] bytes(String text) {
		return WireFormat.utf8(text);
	}

	@Test
	void keysAndArgumentsAreThoseOfAll() {
		assertThat(Stream.of(this.all.keys).map(String::new)).containsExactly("lock::a", "lock::b", "lock::c",
				"lock:%absent");
		assertThat(this.all.args.length).isEqualTo(4);
		assertThat(this.all.args[0]).isEqualTo(bytes("LLU"));
		assertThat(this.all.args[1]).isEqualTo(this.calls.get(0).args[0]);
		assertThat(this.all.args[3]).isEqualTo(this.calls.get(2).args[0]);
	}

	@Test
	void eachHasItsAnswer() {
		this.all.complete(List.of(1L, 77L, 4L, 0L, 500L, bytes("12345678"), 0L, 1L, 1L));
		assertThat(this.first.join()).isEqualTo(new Granted(77));
		assertThat(this.second.join()).isInstanceOf(Busy.class);
		assertThat(this.third.join()).isEqualTo(Ownership.HELD);
	}

	@Test
	void whatWentWrongForOneFailsItAlone() {
		this.all.complete(List.of(1L, 77L, 0L, bytes("WRONGTYPE wrong"), 1L, 1L));
		assertThat(this.first.join()).isEqualTo(new Granted(77));
		assertThat(this.second).isCompletedExceptionally();
		assertThat(RedisLockStoreIntegrationTests.failure(this.second, LockStoreException.Kind.MISCONFIGURED))
			.contains("acquire", "lock::b", "WRONGTYPE");
		assertThat(this.third.join()).isEqualTo(Ownership.HELD);
	}

	@Test
	void oneForWhichTheScriptDoesNotSufficeGoesOnAlone() {
		this.all.complete(List.of(1L, 77L, 1L, -1L, 1L, 1L));
		assertThat(this.second.kind()).isEqualTo(LockScript.ACQUIRE);
		ScriptCall next = this.sent.get(0);
		assertThat(this.sent).hasSize(1);
		assertThat(next.keys[0]).isEqualTo(bytes("lock::b"));
		assertThat(next.script).isSameAs(LockScript.ACQUIRE.script);
		assertThat(next.gathering()).isNull();
	}

	/** As a proxy may answer. */
	@Test
	void answersThatAreMissingOrOfNoSenseFailThoseThatHaveNone() {
		this.all.complete(List.of(1L, 77L, 4L, 0L));
		assertThat(this.first.join()).isEqualTo(new Granted(77));
		assertThat(this.second).isCompletedExceptionally();
		assertThat(this.third).isCompletedExceptionally();
		List<ScriptCommand<AcquireOutcome>> others = List.of(acquire("d"), acquire("e"));
		together(next()).complete(1L);
		assertThat(others).allMatch(ScriptCommand::isCompletedExceptionally);
	}

	@Test
	void failureIsThatOfEach() {
		this.all.completeExceptionally(new IllegalStateException("LOADING Redis is loading the dataset in memory"));
		assertThat(List.of(this.first, this.second, this.third))
			.allSatisfy((each) -> RedisLockStoreIntegrationTests.failure(each, LockStoreException.Kind.UNAVAILABLE));
	}

	@Test
	void serverThatTakesNoDifferentSlotsGetsEachAlone() {
		this.all
			.completeExceptionally(new IllegalStateException("CROSSSLOT Keys in request don't hash to the same slot"));
		assertThat(this.sent).isEqualTo(this.calls).allMatch((call) -> call.gathering() == null);
		assertThat(this.first.kind()).isEqualTo(LockScript.LOCK);
		assertThat(this.first).isNotDone();
		assertThat(acquire("d").call().gathering()).isNull();
		assertThat(this.server.hasSlots()).isTrue();
	}

	@Test
	void oneThatIsRefusedIsFoundAndGoesAloneFromThenOn() {
		RuntimeException refusal = new IllegalStateException("NOPERM No permissions to access a key");
		this.all.completeExceptionally(refusal);
		assertThat(this.sent).isEqualTo(this.calls);
		this.calls.get(1).completeExceptionally(refusal);
		this.calls.get(0).complete(77L);
		this.calls.get(2).complete(1L);
		assertThat(RedisLockStoreIntegrationTests.failure(this.second, LockStoreException.Kind.MISCONFIGURED))
			.contains("acquire", "lock::b", "NOPERM");
		assertThat(acquire("b").call().gathering()).isNull();
		assertThat(acquire("a").call().gathering()).isNotNull();
	}

	@Test
	void manyAreDividedWithoutThoseThatHaveEnded() {
		IntStream.range(0, 9).forEach((i) -> acquire("m" + i));
		List<ScriptCall> many = next();
		many.get(0).cancel(true);
		together(many).completeExceptionally(new IllegalStateException("ERR request is too large"));
		assertThat(this.sent).map((part) -> part.keys.length - 1).containsExactly(2, 2, 2, 2);
		assertThat(this.sent.get(0).keys[0]).isEqualTo(bytes("lock::m1"));
	}

	@Test
	void callsThatCannotBeSentAgainFail() {
		ScriptCall together = GatheredCall.of(Objects.requireNonNull(this.server.gathering), this.calls, (call) -> {
			throw new IllegalStateException("The lock store is closed");
		});
		together.completeExceptionally(new IllegalStateException("ERR request is too large"));
		assertThat(List.of(this.first, this.second, this.third)).allMatch(CompletableFuture::isCompletedExceptionally);
	}

	@Test
	void callIsWithdrawnWhenAllAreCancelled() {
		AtomicInteger withdrawn = new AtomicInteger();
		this.all.begin(withdrawn::incrementAndGet);
		this.first.cancel(true);
		this.third.cancel(true);
		assertThat(withdrawn).hasValue(0);
		assertThat(this.all.isDone()).isFalse();
		this.second.cancel(true);
		assertThat(withdrawn).hasValue(1);
		assertThat(this.all.isDone()).isTrue();
	}

	@Test
	void callWhenAllWereCancelledBeforeIsWithdrawnAtOnce() {
		AtomicInteger withdrawn = new AtomicInteger();
		this.calls.forEach((call) -> call.cancel(true));
		this.all.begin(withdrawn::incrementAndGet);
		assertThat(withdrawn.get()).isPositive();
	}

	@Test
	void callWhenAllWereCancelledBeforeTheyWentTogetherHasEnded() {
		acquire("d").cancel(true);
		acquire("e").cancel(true);
		assertThat(together(next()).isDone()).isTrue();
	}

	@Test
	void commandsForSharedLocksOrWhereOneGoesAloneDoNotGather() {
		assertThat(acquire("k").call().gathering()).isNotNull();
		LockServer lone = new LockServer(this.server.format,
				RedisSetup.ofApplication(RedisStoreSettings.DEFAULTS, false), null, false);
		assertThat(lone.gathering).isNull();
		assertThat(
				ScriptCommand.release(this.server, new ReleaseCommand(new LockKey("", "k"), RequestId.of(1, 1, 1, 0)))
					.call()
					.gathering())
			.isNull();
	}

}

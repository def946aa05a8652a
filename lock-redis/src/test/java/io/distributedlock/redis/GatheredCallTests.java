package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.distributedlock.LockStoreException;
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

	private final List<ScriptCall> alone = new ArrayList<>();

	private final ScriptRunner runner = new ScriptRunner() {

		@Override
		public void run(ScriptCall call) {
			GatheredCallTests.this.alone.add(call);
		}

		@Override
		public CompletableFuture<?> connect() {
			return CompletableFuture.completedFuture(null);
		}

		@Override
		public void close() {
		}

	};

	private final ScriptCommand<AcquireOutcome> first = acquire("a");

	private final ScriptCommand<AcquireOutcome> second = acquire("b");

	private final ScriptCommand<Ownership> third = ScriptCommand.release(this.server,
			new ReleaseCommand(new LockKey("", "c"), new RequestId(1, 1)));

	private final GatheredCall all;

	GatheredCallTests() {
		this.third.send(this.runner);
		this.alone.clear();
		this.all = GatheredCall.of(this.server, List.of(this.first, this.second, this.third));
	}

	private ScriptCommand<AcquireOutcome> acquire(String key) {
		AcquireCommand command = new AcquireCommand(new LockKey("", key), new RequestId(1, 1), Duration.ofSeconds(3),
				Duration.ZERO, Duration.ZERO);
		return ScriptCommand
			.acquire(this.server, command, true, (answer) -> this.server.format.outcome(command, answer))
			.send(this.runner);
	}

	private static byte[] bytes(String text) {
		return WireFormat.utf8(text);
	}

	@Test
	void keysAndArgumentsAreThoseOfAll() {
		assertThat(Stream.of(this.all.keys()).map(String::new)).containsExactly("lock::a", "lock::b", "lock::c",
				"lock:%absent");
		assertThat(this.all.args().length).isEqualTo(4);
		assertThat(this.all.args()[0]).isEqualTo(bytes("LLU"));
		assertThat(this.all.args()[1]).isEqualTo(this.first.args()[0]);
		assertThat(this.all.args()[3]).isEqualTo(this.third.args()[0]);
	}

	@Test
	void eachHasItsAnswer() {
		this.all.answered(List.of(1L, 77L, 4L, 0L, 500L, bytes("12345678"), 0L, 1L, 1L));
		assertThat(this.first.join()).isEqualTo(new Granted(77));
		assertThat(this.second.join()).isInstanceOf(Busy.class);
		assertThat(this.third.join()).isEqualTo(Ownership.HELD);
	}

	@Test
	void whatWentWrongForOneFailsItAlone() {
		this.all.answered(List.of(1L, 77L, 0L, bytes("WRONGTYPE wrong"), 1L, 1L));
		assertThat(this.first.join()).isEqualTo(new Granted(77));
		assertThat(this.second).isCompletedExceptionally();
		assertThat(RedisLockStoreIntegrationTests.failure(this.second, LockStoreException.Kind.MISCONFIGURED))
			.contains("acquire", "lock::b", "WRONGTYPE");
		assertThat(this.third.join()).isEqualTo(Ownership.HELD);
	}

	@Test
	void oneForWhichTheScriptDoesNotSufficeGoesOnAlone() {
		this.all.answered(List.of(1L, 77L, 1L, -1L, 1L, 1L));
		assertThat(this.alone).containsExactly(this.second);
		assertThat(this.second.kind()).isEqualTo(LockScript.ACQUIRE);
		assertThat(this.second.gathering()).isNull();
	}

	/** As a proxy may answer. */
	@Test
	void answersThatAreMissingOrOfNoSenseFailThoseThatHaveNone() {
		this.all.answered(List.of(1L, 77L, 4L, 0L));
		assertThat(this.first.join()).isEqualTo(new Granted(77));
		assertThat(this.second).isCompletedExceptionally();
		assertThat(this.third).isCompletedExceptionally();
		GatheredCall other = GatheredCall.of(this.server, List.of(acquire("d"), acquire("e")));
		other.answered(1L);
		assertThat(other.isDone()).isTrue();
	}

	@Test
	void failureIsThatOfEach() {
		this.all.failed(new IllegalStateException("LOADING Redis is loading the dataset in memory"));
		assertThat(List.of(this.first, this.second, this.third))
			.allSatisfy((each) -> RedisLockStoreIntegrationTests.failure(each, LockStoreException.Kind.UNAVAILABLE));
	}

	@Test
	void serverThatTakesNoDifferentSlotsGetsEachAlone() {
		this.all.failed(new IllegalStateException("CROSSSLOT Keys in request don't hash to the same slot"));
		assertThat(this.alone).containsExactly(this.first, this.second, this.third);
		assertThat(this.first.gathering()).isNull();
		assertThat(this.first.kind()).isEqualTo(LockScript.LOCK);
		assertThat(this.first).isNotDone();
	}

	@Test
	void oneThatIsRefusedIsFoundAndGoesAloneFromThenOn() {
		RuntimeException refusal = new IllegalStateException("NOPERM No permissions to access a key");
		this.all.failed(refusal);
		assertThat(this.alone).containsExactly(this.first, this.second, this.third);
		this.second.failed(refusal);
		this.first.answered(77L);
		this.third.answered(1L);
		assertThat(RedisLockStoreIntegrationTests.failure(this.second, LockStoreException.Kind.MISCONFIGURED))
			.contains("acquire", "lock::b", "NOPERM");
		assertThat(acquire("b").gathering()).isNull();
		assertThat(acquire("a").gathering()).isNotNull();
	}

	@Test
	void manyAreDividedWithoutThoseThatHaveEnded() {
		List<ScriptCall> many = Stream.iterate(0, (i) -> i + 1)
			.limit(9)
			.<ScriptCall>map((i) -> acquire("m" + i))
			.toList();
		this.alone.clear();
		many.get(0).cancel(true);
		GatheredCall.of(this.server, many).failed(new IllegalStateException("ERR request is too large"));
		assertThat(this.alone).map((part) -> part.keys().length - 1).containsExactly(2, 2, 2, 2);
		assertThat(this.alone.get(0).keys()[0]).isEqualTo(bytes("lock::m1"));
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
		this.all.cancel(true);
		this.all.begin(withdrawn::incrementAndGet);
		assertThat(withdrawn.get()).isPositive();
	}

	@Test
	void commandsForSharedLocksOrWhereOneGoesAloneDoNotGather() {
		assertThat(acquire("k").gathering()).isNotNull();
		LockServer lone = new LockServer(this.server.format,
				RedisSetup.ofApplication(RedisStoreSettings.DEFAULTS, false), null, false);
		assertThat(lone.gathering).isNull();
		assertThat(
				ScriptCommand.release(this.server, new ReleaseCommand(new LockKey("", "k"), RequestId.of(1, 1, 1, 0)))
					.gathering())
			.isNull();
	}

}

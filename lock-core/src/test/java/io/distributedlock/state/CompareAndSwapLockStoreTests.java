package io.distributedlock.state;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.state.StateLockStore.Stored;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.StoreNode;
import io.distributedlock.store.WakeUpListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** The cases that a back end with compare-and-swap meets besides the contract. */
class CompareAndSwapLockStoreTests {

	private static final LockKey KEY = new LockKey("", "order");

	private final Map<LockKey, String> texts = new HashMap<>();

	private final TextStore store = new TextStore();

	private Runnable beforeReplace = () -> {
	};

	private long micros;

	/** {@code true} if each replacement comes too late. */
	private boolean overtaken;

	/** Thrown by each read, unless it is {@code null}. */
	private Throwable thrown;

	/** The next answer to a read, or {@code null} for the text. */
	private CompletableFuture<Stored> nextRead;

	private AcquireOutcome acquire(long request) {
		return this.store.acquire(command(request)).join();
	}

	private static AcquireCommand command(long request) {
		return new AcquireCommand(KEY, RequestId.of(request, 0, 1, 0), Duration.ofSeconds(10), Duration.ZERO,
				Duration.ZERO);
	}

	@Test
	void commandWhenOvertakenIsDecidedAgain() {
		this.beforeReplace = () -> {
			this.beforeReplace = () -> {
			};
			assertThat(acquire(2)).isInstanceOf(AcquireOutcome.Granted.class);
		};
		assertThat(acquire(1)).isInstanceOf(AcquireOutcome.Busy.class);
	}

	/** It was sent, although nothing waited for it any more. */
	@Test
	void commandWhenCancelledIsNotSent() {
		CompletableFuture<Stored> late = new CompletableFuture<>();
		this.nextRead = late;
		this.store.acquire(command(1)).cancel(true);
		late.complete(new Stored(null, 0));
		this.nextRead = new CompletableFuture<>();
		CompletableFuture<Stored> second = this.nextRead;
		this.store.abandon(new AbandonCommand(KEY, command(2).request())).cancel(true);
		second.complete(new Stored(null, 0));
		assertThat(this.texts).isEmpty();
	}

	/** It ran for ever. */
	@Test
	void commandThatIsAlwaysOvertakenEndsWhenCancelled() {
		CompletableFuture<Stored> late = new CompletableFuture<>();
		this.nextRead = late;
		CompletableFuture<AcquireOutcome> answer = this.store.acquire(command(1));
		AtomicInteger tries = new AtomicInteger();
		this.overtaken = true;
		this.beforeReplace = () -> {
			if (tries.incrementAndGet() == 3) {
				answer.cancel(true);
			}
		};
		late.complete(new Stored(null, 0));
		assertThat(tries).hasValue(3);
		assertThat(answer).isCancelled();
	}

	@Test
	void nodesAreTheBackEndAndItsAnswer() {
		assertThat(this.store.nodes().join()).singleElement().satisfies((node) -> {
			assertThat(node.name()).isEqualTo("TextStore");
			assertThat(node.failure()).isNull();
			assertThat(node.answeredIn()).isNotNull();
		});
		assertThat(this.store.worksWith(this.store.nodes().join())).isTrue();
	}

	/** Health was up. */
	@Test
	void nodesWhenTheBackEndFailsOrIsSilentDoNotWork() {
		this.nextRead = CompletableFuture.failedFuture(new LockStoreException(Kind.UNAVAILABLE, "It is away", null));
		List<StoreNode> failed = this.store.nodes().join();
		assertThat(this.store.worksWith(failed)).isFalse();
		assertThat(failed).singleElement().satisfies((node) -> assertThat(node.failure()).hasMessageContaining("away"));
		this.nextRead = new CompletableFuture<>();
		assertThat(this.store.worksWith(this.store.nodes().join())).isFalse();
	}

	static Stream<Throwable> failures() {
		return Stream.of(new LockStoreException(Kind.UNAVAILABLE, "It is closed", null),
				new NoClassDefFoundError("a driver"));
	}

	/** It threw, and one bad read kept the other renewals from being sent. */
	@ParameterizedTest
	@MethodSource("failures")
	void futuresWhenTheBackEndThrowsFail(Throwable thrown) {
		this.thrown = thrown;
		RenewCommand renewal = new RenewCommand(KEY, command(1).request(), Duration.ofSeconds(10), RenewalMarks.NONE);
		List<CompletableFuture<?>> answers = new ArrayList<>(this.store.renew(List.of(renewal, renewal)));
		answers.add(this.store.acquire(command(1)));
		answers.add(this.store.release(new ReleaseCommand(KEY, command(1).request())));
		answers.add(this.store.abandon(new AbandonCommand(KEY, command(1).request())));
		answers.add(this.store.inspect(KEY));
		answers.add(this.store.forceRelease(new ForceReleaseCommand(KEY, null)));
		assertThat(answers).hasSize(7)
			.allSatisfy((answer) -> assertThat(answer).isCompletedExceptionally()
				.failsWithin(Duration.ZERO)
				.withThrowableThat()
				.havingRootCause()
				.isSameAs(thrown));
	}

	@Test
	void nodesWhenTheBackEndThrowsDoNotWork() {
		this.thrown = new IllegalStateException("It is closed");
		assertThat(this.store.nodes()).succeedsWithin(Duration.ZERO)
			.satisfies((nodes) -> assertThat(nodes).singleElement()
				.satisfies((node) -> assertThat(node.failure()).hasMessageContaining("It is closed")));
	}

	/** It claimed wake-ups and claims, although its {@code wakeUp} does nothing. */
	@Test
	void capabilitiesOfTheAbstractMethodsAreThoseOfTheState() {
		assertThat(this.store.capabilities()).containsExactly(StoreCapability.FAIR, StoreCapability.READ,
				StoreCapability.SEMAPHORE, StoreCapability.SEVERAL_PERMITS, StoreCapability.LOCK_DELAY,
				StoreCapability.HANDLES);
		assertThat(this.store.takesTogether(List.of(KEY, new LockKey("", "item")))).isFalse();
	}

	@Test
	void retentionWhenTooShortIsRefused() {
		assertThatThrownBy(() -> new TextStore(Duration.ofMillis(999))).isInstanceOf(InvalidSettingException.class)
			.hasMessage("retention must be between 1s and 365d but is 999ms");
	}

	@Test
	void leaseWhenItsTimeIsOverGivesTheLockToOthers() {
		acquire(1);
		this.micros += 10_000_000;
		assertThat(acquire(2)).isInstanceOf(AcquireOutcome.Granted.class);
	}

	@Test
	void textOfAnotherVersionIsRefused() {
		acquire(1);
		this.texts.computeIfPresent(KEY, (key, text) -> "1" + text.substring(1));
		assertThatThrownBy(() -> acquire(2)).hasRootCauseInstanceOf(LockStoreException.class)
			.hasMessageContaining("'" + KEY + "' was written by another version");
	}

	/** It counted as an outage. */
	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 4, 5, 7, 13 })
	void textThatIsDamagedIsRefusedAsMisconfigured(int field) {
		acquire(1);
		this.texts.computeIfPresent(KEY, (key, text) -> {
			String[] fields = text.split(";", -1);
			fields[field] = "x";
			return String.join(";", fields);
		});
		assertThatThrownBy(() -> acquire(2)).cause()
			.hasMessageContaining("'" + KEY + "' was written by another version")
			.isInstanceOfSatisfying(LockStoreException.class,
					(failure) -> assertThat(failure.getKind()).isEqualTo(Kind.MISCONFIGURED));
	}

	/** Keeps texts in a map, and has no wake-ups. */
	private final class TextStore extends CompareAndSwapLockStore {

		TextStore() {
			this(Duration.ofSeconds(60));
		}

		TextStore(Duration retention) {
			super(retention);
		}

		@Override
		protected CompletableFuture<Stored> read(LockKey key) {
			Throwable thrown = CompareAndSwapLockStoreTests.this.thrown;
			if (thrown instanceof Error error) {
				throw error;
			}
			if (thrown instanceof RuntimeException ex) {
				throw ex;
			}
			CompletableFuture<Stored> next = CompareAndSwapLockStoreTests.this.nextRead;
			CompareAndSwapLockStoreTests.this.nextRead = null;
			if (next != null) {
				return next;
			}
			return CompletableFuture.completedFuture(new Stored(CompareAndSwapLockStoreTests.this.texts.get(key),
					CompareAndSwapLockStoreTests.this.micros));
		}

		@Override
		protected CompletableFuture<Boolean> replace(LockKey key, String expected, String text, Duration lifetime) {
			CompareAndSwapLockStoreTests.this.beforeReplace.run();
			if (CompareAndSwapLockStoreTests.this.overtaken) {
				return CompletableFuture.completedFuture(false);
			}
			Map<LockKey, String> texts = CompareAndSwapLockStoreTests.this.texts;
			return CompletableFuture.completedFuture(
					(expected != null) ? texts.replace(key, expected, text) : texts.putIfAbsent(key, text) == null);
		}

		@Override
		public void start(String instance, WakeUpListener listener) {
			// It has no wake-ups.
		}

		@Override
		public Duration commandTimeout() {
			return Duration.ofSeconds(1);
		}

		@Override
		public void close() {
			// There is nothing to close.
		}

	}

}

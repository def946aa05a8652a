package io.distributedlock.state;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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

	private AcquireOutcome acquire(long request) {
		return this.store
			.acquire(new AcquireCommand(KEY, RequestId.of(request, 0, 1, 0), Duration.ofSeconds(10), Duration.ZERO,
					Duration.ZERO))
			.join();
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
			super(Duration.ofSeconds(60));
		}

		@Override
		protected CompletableFuture<Stored> read(LockKey key) {
			return CompletableFuture.completedFuture(new Stored(CompareAndSwapLockStoreTests.this.texts.get(key),
					CompareAndSwapLockStoreTests.this.micros));
		}

		@Override
		protected CompletableFuture<Boolean> replace(LockKey key, String expected, String text, Duration lifetime) {
			CompareAndSwapLockStoreTests.this.beforeReplace.run();
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

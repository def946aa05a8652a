package io.distributedlock.redis;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.Test;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link PermissionGate} with a store that is made up.
 */
class PermissionGateTests {

	private final AtomicReference<CompletableFuture<?>> contact = new AtomicReference<>(
			CompletableFuture.completedFuture(true));

	private final AtomicReference<RuntimeException> missing = new AtomicReference<>();

	private final AtomicInteger probes = new AtomicInteger();

	private final AtomicInteger commands = new AtomicInteger();

	private final PermissionGate gate = new PermissionGate(this.contact::get, () -> {
		this.probes.incrementAndGet();
		RuntimeException failure = this.missing.get();
		if (failure != null) {
			throw failure;
		}
	});

	private CompletableFuture<String> enter() {
		return this.gate.enter(() -> {
			this.commands.incrementAndGet();
			return CompletableFuture.completedFuture("done");
		});
	}

	@Test
	void commandWhenNobodyHasAskedForACheckIsSentAtOnce() {
		assertThat(enter()).isCompletedWithValue("done");
		assertThat(this.probes).hasValue(0);
	}

	@Test
	void commandWhenSomethingIsMissingIsNotSentUntilACheckFindsNothing() {
		this.missing.set(new IllegalStateException("missing"));
		assertThat(this.gate.check()).failsWithin(20, SECONDS);
		assertThat(enter()).failsWithin(20, SECONDS).withThrowableThat().havingCause().isSameAs(this.missing.get());
		assertThat(this.commands).hasValue(0);
		this.missing.set(null);
		assertThat(enter()).succeedsWithin(20, SECONDS).isEqualTo("done");
		assertThat(enter()).isCompletedWithValue("done");
		assertThat(this.probes).hasValue(3);
	}

	/** Threads that ask a silent server keep a driver from shutting down. */
	@Test
	void checkWhenTheServerIsSilentWaitsWithoutAThreadAndOnceForAll() {
		CompletableFuture<Boolean> silent = new CompletableFuture<>();
		this.contact.set(silent);
		CompletableFuture<Void> check = this.gate.check();
		CompletableFuture<String> waiting = enter();
		assertThat(this.gate.check()).isSameAs(check);
		assertThat(this.probes).hasValue(0);
		silent.complete(true);
		assertThat(waiting).succeedsWithin(20, SECONDS).isEqualTo("done");
		assertThat(this.probes).hasValue(1);
	}

	@Test
	void commandWhenCancelledBeforeTheCheckEndsIsNotSent() {
		CompletableFuture<Boolean> silent = new CompletableFuture<>();
		this.contact.set(silent);
		CompletableFuture<Void> check = this.gate.check();
		CompletableFuture<String> waiting = enter();
		waiting.cancel(true);
		silent.complete(true);
		assertThat(check).succeedsWithin(20, SECONDS);
		assertThat(this.commands).hasValue(0);
	}

	@Test
	void checkWhenTheServerCannotBeAskedFailsWithTheReason() {
		RuntimeException reason = new IllegalStateException("down");
		this.contact.set(CompletableFuture.failedFuture(reason));
		assertThat(this.gate.check()).failsWithin(20, SECONDS).withThrowableThat().havingCause().isSameAs(reason);
		assertThat(this.probes).hasValue(0);
	}

	/** Its thread stayed for as long as the server was silent. */
	@Test
	void probeWhenTheGateIsClosedIsInterrupted() {
		CountDownLatch silent = new CountDownLatch(1);
		PermissionGate closing = new PermissionGate(this.contact::get, () -> {
			try {
				silent.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException("interrupted", ex);
			}
		});
		CompletableFuture<Void> check = closing.check();
		closing.close();
		assertThat(check).failsWithin(20, SECONDS).withThrowableThat().withMessageContaining("interrupted");
	}

	@Test
	void checkWhenTheGateIsClosedFailsAndProbesNothing() {
		this.gate.close();
		assertThat(this.gate.check()).failsWithin(20, SECONDS)
			.withThrowableThat()
			.withMessageContaining("The lock store is closed");
		assertThat(this.probes).hasValue(0);
	}

}

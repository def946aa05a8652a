package io.distributedlock.leader;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.time.EngineLoop;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

import static org.assertj.core.api.Assertions.assertThat;

/** The timer of an election on one thread, and its stops and starts on another. */
class LeaderElectionTimerTests {

	private static final int ROUNDS = 50_000;

	/** Longer than the longest back-off. */
	private static final long ROUND_NANOS = 40_000_000_000L;

	private final Logger logger = (Logger) LoggerFactory.getLogger(LeaderElection.class);

	private final AtomicLong clock = new AtomicLong();

	private final EngineLoop loop = new EngineLoop();

	private final CyclicBarrier barrier = new CyclicBarrier(2);

	private final Refusing registry = new Refusing();

	private final LeaderElection election = new LeaderElections(this.registry, List.of(), this.clock::get, this.loop,
			Runnable::run, (loop) -> {
			})
		.create("role");

	@BeforeEach
	void silence() {
		this.logger.setLevel(Level.OFF);
	}

	@AfterEach
	void speak() {
		this.logger.setLevel(null);
	}

	/**
	 * A timer that had looked at one pause ended the next one, which had just begun. Each
	 * request that it sends belongs to a pause before the stop.
	 */
	@Test
	void timerThatIsLateEndsNoPauseThatBeganAfterIt() throws Exception {
		this.registry.main = Thread.currentThread();
		this.election.start();
		AtomicReference<Throwable> failure = new AtomicReference<>();
		Thread timer = new Thread(() -> fireAll(failure));
		timer.setDaemon(true);
		timer.start();
		int wrong = 0;
		for (int i = 0; i < ROUNDS; i++) {
			this.clock.addAndGet(ROUND_NANOS);
			this.barrier.await();
			this.election.stopping();
			this.election.start();
			this.barrier.await();
			wrong += this.registry.isWaitedFor() ? 1 : 0;
		}
		timer.join();
		assertThat(failure).hasNullValue();
		assertThat(wrong).isZero();
	}

	private void fireAll(AtomicReference<Throwable> failure) {
		try {
			for (int i = 0; i < ROUNDS; i++) {
				this.barrier.await();
				this.loop.runDue(this.clock.get());
				this.barrier.await();
			}
		}
		catch (Exception ex) {
			failure.set(ex);
		}
	}

	/** Refuses the requests of the test, and lets those of the timer wait. */
	private static final class Refusing implements LockRegistry {

		private volatile Thread main;

		private volatile CompletableFuture<Lease> byTimer = CompletableFuture.failedFuture(new IllegalStateException());

		private boolean isWaitedFor() {
			return !this.byTimer.isDone();
		}

		@Override
		public CompletionStage<Lease> acquireAsync(LockRequest request) {
			if (Thread.currentThread() == this.main) {
				return CompletableFuture.failedFuture(new IllegalStateException("refused"));
			}
			this.byTimer = new CompletableFuture<>();
			return this.byTimer;
		}

		@Override
		public LeaseLock getLock(String name, String key) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Lease acquire(LockRequest request) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Optional<Lease> tryAcquire(LockRequest request) {
			throw new UnsupportedOperationException();
		}

	}

}

package io.distributedlock.redis;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;

import io.distributedlock.redis.internal.driver.DaemonThreads;
import io.distributedlock.test.store.Patience;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DaemonThreadsTests {

	private final ThreadPoolExecutor pool = DaemonThreads.pool("ending", 1);

	private final CompletableFuture<Void> lastWords = new CompletableFuture<>();

	/** The steps that end the threads of a store would be left out. */
	@Test
	void awaitEndWhenInterruptedWaitsAllTheSameAndKeepsTheInterrupt() {
		this.pool.execute(this.lastWords::join);
		this.pool.shutdown();
		CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
		Thread closing = new Thread(() -> {
			Thread.currentThread().interrupt();
			DaemonThreads.awaitEnd(this.pool, Duration.ofSeconds(50));
			interrupted.complete(this.pool.isTerminated() && Thread.interrupted());
		});
		closing.start();
		Awaitility.await().until(() -> closing.getState() == Thread.State.TIMED_WAITING);
		this.lastWords.complete(null);
		assertThat(interrupted).succeedsWithin(Patience.CEILING).isEqualTo(true);
	}

	@Test
	void endInterruptsWhatDoesNotEndByItself() {
		CompletableFuture<Boolean> ended = new CompletableFuture<>();
		this.pool.execute(() -> {
			try {
				this.lastWords.get();
			}
			catch (Exception ex) {
				ended.complete(ex instanceof InterruptedException);
			}
		});
		DaemonThreads.end(this.pool);
		assertThat(ended).succeedsWithin(Patience.CEILING).isEqualTo(true);
	}

}

package io.distributedlock.engine.timer;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What the thread that renews every lock has to survive. */
class EngineLoopTests {

	private final EngineLoop loop = new EngineLoop(() -> {
	});

	@Test
	void timersWhenOneThrowsFireAllTheSame() {
		AtomicInteger fired = new AtomicInteger();
		this.loop.schedule(timer(() -> {
			throw new StackOverflowError("thrown by a timer");
		}), 1);
		this.loop.schedule(timer(fired::incrementAndGet), 2);
		this.loop.runDue(2);
		assertThat(fired).hasValue(1);
	}

	@Test
	void timersWhenWhatFollowsThemThrowsFireTheNextTime() {
		AtomicInteger fired = new AtomicInteger();
		this.loop.afterTick(() -> {
			throw new StackOverflowError("thrown after the timers");
		});
		this.loop.schedule(timer(fired::incrementAndGet), 1);
		this.loop.schedule(timer(fired::incrementAndGet), 2);
		assertThat(this.loop.runDue(1)).isEqualTo(2);
		this.loop.runDue(2);
		assertThat(fired).hasValue(2);
	}

	private static HeapTimer timer(Runnable task) {
		return new HeapTimer() {

			@Override
			public void fire(long now) {
				task.run();
			}

		};
	}

}

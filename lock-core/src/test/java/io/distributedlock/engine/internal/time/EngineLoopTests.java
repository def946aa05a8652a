package io.distributedlock.engine.internal.time;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The failures that the thread of all renewals has to survive; the order of timers. */
class EngineLoopTests {

	private final EngineLoop loop = new EngineLoop();

	@Test
	void timersWhenOneThrowsFireAllTheSame() {
		AtomicInteger fired = new AtomicInteger();
		this.loop.timers().schedule(timer(() -> {
			throw new StackOverflowError("thrown by a timer");
		}), 1);
		this.loop.timers().schedule(timer(fired::incrementAndGet), 2);
		this.loop.runDue(2);
		assertThat(fired).hasValue(1);
	}

	@Test
	void timersFireTheNextTimeAfterATickActionThrew() {
		AtomicInteger fired = new AtomicInteger();
		this.loop.afterTick(() -> {
			throw new StackOverflowError("thrown after the timers");
		});
		this.loop.timers().schedule(timer(fired::incrementAndGet), 1);
		this.loop.timers().schedule(timer(fired::incrementAndGet), 2);
		assertThat(this.loop.runDue(1)).isEqualTo(2);
		this.loop.runDue(2);
		assertThat(fired).hasValue(2);
	}

	/** A class of the log could not be loaded any more, and the thread ended. */
	@Test
	void timersWhenAFailureCannotBeLoggedFireAllTheSame() {
		AtomicInteger fired = new AtomicInteger();
		this.loop.afterTick(() -> {
			throw new FailureThatCannotBeLogged();
		});
		this.loop.timers().schedule(timer(() -> {
			throw new FailureThatCannotBeLogged();
		}), 1);
		this.loop.timers().schedule(timer(fired::incrementAndGet), 2);
		this.loop.runDue(2);
		assertThat(fired).hasValue(1);
	}

	@Test
	void timerIsAdvancedOnlyIfItIsSetAndToAnEarlierTime() {
		HeapTimer timer = timer(() -> {
		});
		this.loop.timers().advance(timer, 5);
		assertThat(this.loop.timers().size()).isZero();
		this.loop.timers().schedule(timer, 10);
		this.loop.timers().advance(timer, 20);
		assertThat(this.loop.runDue(1)).isEqualTo(10);
		this.loop.timers().advance(timer, 5);
		assertThat(this.loop.runDue(1)).isEqualTo(5);
	}

	@Test
	void nextDueWhenSetMovedAndCancelledAtRandomIsTheEarliest() {
		Random random = new Random(42);
		Map<HeapTimer, Long> model = new HashMap<>();
		List<HeapTimer> all = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			all.add(timer(() -> {
			}));
		}
		for (int i = 0; i < 50_000; i++) {
			HeapTimer timer = all.get(random.nextInt(all.size()));
			if (random.nextInt(3) > 0) {
				long due = random.nextInt(1000);
				this.loop.timers().schedule(timer, due);
				model.put(timer, due);
			}
			else {
				this.loop.timers().cancel(timer);
				model.remove(timer);
			}
			assertThat(this.loop.timers().size()).isEqualTo(model.size());
			assertThat(this.loop.runDue(-1))
				.isEqualTo(model.values().stream().min(Long::compare).orElse(Long.MAX_VALUE));
		}
	}

	/** Only firing the first one, again and again, shows all of the order. */
	@Test
	void timersWhenSomeWereCancelledFireInOrder() {
		Random random = new Random(42);
		for (int round = 0; round < 200; round++) {
			List<HeapTimer> left = new ArrayList<>();
			List<Long> order = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				long due = random.nextInt(1000);
				HeapTimer timer = timer(() -> order.add(due));
				this.loop.timers().schedule(timer, due);
				left.add(timer);
			}
			for (int i = 0; i < 50; i++) {
				this.loop.timers().cancel(left.remove(random.nextInt(left.size())));
			}
			this.loop.runDue(1000);
			assertThat(order).hasSameSizeAs(left).isSorted();
		}
	}

	private static final class FailureThatCannotBeLogged extends IllegalStateException {

		@Override
		public String getMessage() {
			throw new NoClassDefFoundError("thrown by the log");
		}

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

package io.distributedlock.engine.timer;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class TimerHeapTests {

	private final TimerHeap heap = new TimerHeap();

	@Test
	void peekWhenPutMovedAndRemovedAtRandomIsTheEarliest() {
		Random random = new Random(42);
		List<HeapTimer> model = new ArrayList<>();
		List<HeapTimer> all = new ArrayList<>();
		for (int i = 0; i < 500; i++) {
			all.add(new NoTimer());
		}
		for (int i = 0; i < 50_000; i++) {
			HeapTimer timer = all.get(random.nextInt(all.size()));
			if (random.nextInt(3) > 0) {
				this.heap.put(timer, random.nextInt(1000));
				if (!model.contains(timer)) {
					model.add(timer);
				}
			}
			else {
				assertThat(this.heap.remove(timer)).isEqualTo(model.remove(timer));
			}
			assertThat(this.heap.size()).isEqualTo(model.size());
			HeapTimer first = this.heap.peek();
			if (model.isEmpty()) {
				assertThat(first).isNull();
			}
			else {
				assertThat(first.due)
					.isEqualTo(model.stream().min(Comparator.comparingLong((t) -> t.due)).orElseThrow().due);
			}
		}
	}

	/** Only taking the first one out, again and again, shows all of the order. */
	@Test
	void timersWhenSomeWereRemovedComeInOrder() {
		Random random = new Random(42);
		for (int round = 0; round < 200; round++) {
			List<HeapTimer> left = new ArrayList<>();
			for (int i = 0; i < 100; i++) {
				HeapTimer timer = new NoTimer();
				this.heap.put(timer, random.nextInt(1000));
				left.add(timer);
			}
			for (int i = 0; i < 50; i++) {
				this.heap.remove(left.remove(random.nextInt(left.size())));
			}
			List<Long> order = new ArrayList<>();
			for (HeapTimer first = this.heap.peek(); first != null; first = this.heap.peek()) {
				order.add(first.due);
				this.heap.remove(first);
			}
			assertThat(order).hasSameSizeAs(left).isSorted();
		}
	}

	private static final class NoTimer extends HeapTimer {

		@Override
		public void fire(long now) {
		}

	}

}

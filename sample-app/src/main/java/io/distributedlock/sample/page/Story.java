package io.distributedlock.sample.page;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.sample.page.BoardView.StepView;
import io.distributedlock.sample.page.BoardView.StoryView;

/** Shows a fault step by step on the board. Used by one thread. */
final class Story {

	private static final AtomicInteger NUMBERS = new AtomicInteger();

	private final int id = NUMBERS.incrementAndGet();

	private final List<StepView> steps = new ArrayList<>();

	private final SaleBoard board;

	private final Fault fault;

	private final int instance;

	private long faultAtNanos = System.nanoTime();

	Story(SaleBoard board, Fault fault, int instance) {
		this.board = board;
		this.fault = fault;
		this.instance = instance;
	}

	/** Show the fault itself. The times of later steps count from here. */
	void fault(String text) {
		this.faultAtNanos = System.nanoTime();
		tell("fault", text);
	}

	void tell(String kind, String text) {
		long millis = (System.nanoTime() - this.faultAtNanos) / 1_000_000;
		this.steps.add(new StepView(kind, "holds".equals(kind) ? 0 : millis, text));
		publish(false);
	}

	void end(String text) {
		tell("end", text);
		publish(true);
	}

	private void publish(boolean done) {
		this.board.story(new StoryView(this.id, this.fault, this.instance, done, List.copyOf(this.steps)));
	}

}

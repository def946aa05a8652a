package io.distributedlock.sample.page;

import java.util.List;

import io.distributedlock.event.AcquiredFrom;
import io.distributedlock.sample.sale.InstanceEvent;
import io.distributedlock.sample.sale.Locks;

/**
 * Content of the page, as it is sent to the browser. Tokens are texts, because they have
 * more digits than numbers of JavaScript.
 *
 * @param busy {@code true} if a sale is running
 * @param redis {@code true} if the page can restart Redis
 * @param postgres {@code true} if there is a PostgreSQL for this machine
 * @param without the run without the lock
 * @param with the run with the lock
 * @param events the events since the last message; in the first message recent ones
 * @param story the present or last fault, as a list of none or one
 */
record BoardView(boolean busy, boolean redis, boolean postgres, RunView without, RunView with, List<EventView> events,
		List<StoryView> story) {

	/**
	 * A run, maybe one that has not begun. While it starts, its time is that of the
	 * start, then that of the buyers. An earlier run must not be compared with the run on
	 * the other side.
	 */
	record RunView(String state, boolean earlier, Locks locks, int buyers, int stock, long paceMillis, Figures figures,
			HandOffs handOffs, long millis, String failure, List<InstanceView> instances) {

		static RunView none() {
			return new RunView("none", false, Locks.IN_REDIS, 0, 0, 0, Figures.NONE, HandOffs.NONE, 0, "", List.of());
		}

	}

	/** Figures from the database. */
	record Figures(int left, int orders, int oversold, int duplicates, String fence) {

		static final Figures NONE = new Figures(0, 0, 0, 0, "0");

	}

	/** Acquisitions of the lock by their origins, and its losses. */
	record HandOffs(int inside, int between, int store, int lost) {

		static final HandOffs NONE = new HandOffs(0, 0, 0, 0);

		HandOffs plus(String from) {
			return switch (AcquiredFrom.valueOf(from)) {
				case THIS_INSTANCE -> new HandOffs(this.inside + 1, this.between, this.store, this.lost);
				case OTHER_INSTANCE -> new HandOffs(this.inside, this.between + 1, this.store, this.lost);
				case STORE -> new HandOffs(this.inside, this.between, this.store + 1, this.lost);
			};
		}

		HandOffs plusLost() {
			return new HandOffs(this.inside, this.between, this.store, this.lost + 1);
		}

	}

	/** An instance of a run. */
	record InstanceView(int number, String state, int shopping, int sold, int soldOut, int failed) {
	}

	/** An event in an instance; times in microseconds. */
	record EventView(boolean lock, int instance, InstanceEvent.Kind kind, long at, String token, long micros,
			String text) {

		static EventView of(boolean lock, int instance, InstanceEvent event) {
			return new EventView(lock, instance, event.kind(), event.at(), String.valueOf(event.token()),
					event.micros(), event.text());
		}

		long number() {
			return Long.parseLong(this.token);
		}

	}

	/** A fault and its steps. */
	record StoryView(int id, Fault fault, int instance, boolean done, List<StepView> steps) {
	}

	/** A step of a story, with the time since the fault. */
	record StepView(String kind, long millis, String text) {
	}

}

package io.distributedlock.chaos;

import java.util.Map;
import java.util.TreeMap;

import io.distributedlock.history.Event;

/** Counts the faults of a history by name. */
final class Tally {

	private final Map<String, Integer> faults = new TreeMap<>();

	/** The failures that no fault of the run caused. */
	private final Map<String, Integer> unasked = new TreeMap<>();

	void accept(Event event) {
		if (event.op() == Event.Op.NEMESIS && event.phase() == Event.Phase.INVOKE && !event.error().isEmpty()) {
			(event.proc().equals(Arena.PROC) ? this.faults : this.unasked).merge(event.error(), 1, Integer::sum);
		}
	}

	Map<String, Integer> faults() {
		return this.faults;
	}

	Map<String, Integer> unasked() {
		return this.unasked;
	}

	int total() {
		return this.faults.values().stream().mapToInt(Integer::intValue).sum();
	}

}

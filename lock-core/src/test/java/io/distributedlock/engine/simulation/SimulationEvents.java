package io.distributedlock.engine.simulation;

import java.util.HashMap;
import java.util.Map;

import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockEventListener;

/** The events of one instance: each acquired lease ends once, and an event tells it. */
final class SimulationEvents implements LockEventListener {

	private final SimulationWorld world;

	/** How often; readers share tokens. */
	private final Map<String, Integer> acquired = new HashMap<>();

	private final Map<String, Integer> ended = new HashMap<>();

	SimulationEvents(SimulationWorld world) {
		this.world = world;
	}

	/** Executors may tell the end before the beginning. */
	@Override
	public void onLockEvent(LockEvent event) {
		if (event instanceof LockEvent.Acquired begin) {
			once(this.acquired, begin.key() + " " + begin.fencingToken(), event);
		}
		else if (event instanceof LockEvent.Released end) {
			once(this.ended, end.key() + " " + end.fencingToken(), event);
		}
		else if (event instanceof LockEvent.ReleaseFailed end) {
			once(this.ended, end.key() + " " + end.fencingToken(), event);
		}
		else if (event instanceof LockEvent.Lost end) {
			once(this.ended, end.key() + " " + end.fencingToken(), event);
		}
	}

	private void once(Map<String, Integer> told, String lease, LockEvent event) {
		if (told.merge(lease, 1, Integer::sum) > 1 && !this.world.modes().hasReaders()) {
			this.world.violation("%s was told twice", event);
		}
	}

	void checkAllEnded(SimulationInstance instance) {
		if (!this.acquired.equals(this.ended)) {
			this.world.violation("%s told of %s acquired and %s ended", instance, this.acquired, this.ended);
		}
	}

}

package io.distributedlock.leader;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

import io.distributedlock.engine.ManualRegistry;
import io.distributedlock.engine.internal.time.EngineLoop;

/**
 * The elections of one instance without threads. Instances that were made of each other
 * have the same locks and clock, and go on together. Listeners are called at once, unless
 * their calls are held.
 */
final class VirtualElections {

	private static final Duration STEP = Duration.ofMillis(10);

	final ManualRegistry registry;

	final LeaderElections elections;

	private final EngineLoop loop = new EngineLoop();

	private final List<VirtualElections> all;

	private Queue<Runnable> heldCalls;

	VirtualElections() {
		this(new ManualRegistry(), new ArrayList<>());
	}

	private VirtualElections(ManualRegistry registry, List<VirtualElections> all) {
		this.registry = registry;
		this.all = all;
		all.add(this);
		this.elections = new LeaderElections(registry, List.of(), registry.ticker(), this.loop, this::call, true);
	}

	VirtualElections another() {
		return new VirtualElections(this.registry.another(), this.all);
	}

	private void call(Runnable task) {
		if (this.heldCalls != null) {
			this.heldCalls.add(task);
		}
		else {
			task.run();
		}
	}

	/** Keep the calls of listeners from now on. */
	void holdCalls() {
		this.heldCalls = new ArrayDeque<>();
	}

	/** Make the calls that were kept, and all others at once. */
	void runCalls() {
		Queue<Runnable> tasks = this.heldCalls;
		this.heldCalls = null;
		tasks.forEach(Runnable::run);
	}

	/** Fire all timers that are due. */
	void runDue() {
		for (VirtualElections each : this.all) {
			each.registry.runDue();
			each.loop.runDue(each.elections.now());
		}
	}

	/** Let the time of all instances go on. */
	void advance(Duration by) {
		runDue();
		for (Duration left = by; !left.isZero(); left = left.minus(STEP)) {
			this.registry.pause(STEP);
			runDue();
		}
	}

}

package io.distributedlock.leader;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
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

	final EngineLoop loop = new EngineLoop();

	/** Sends the requests of elections. */
	Function<LockRequest, CompletionStage<Lease>> acquire;

	/** Stands for the start of the thread for timers. */
	Runnable driver = () -> {
	};

	private final List<VirtualElections> all;

	private Queue<Runnable> heldCalls;

	VirtualElections() {
		this(new ManualRegistry(), new ArrayList<>());
	}

	private VirtualElections(ManualRegistry registry, List<VirtualElections> all) {
		this.registry = registry;
		this.all = all;
		all.add(this);
		this.acquire = registry::acquireAsync;
		this.elections = new LeaderElections(new Requests(), List.of(), registry.ticker(), this.loop, this::call,
				(loop) -> this.driver.run());
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

	/** The registry, as the elections use it. */
	private final class Requests implements LockRegistry {

		@Override
		public CompletionStage<Lease> acquireAsync(LockRequest request) {
			return VirtualElections.this.acquire.apply(request);
		}

		@Override
		public LeaseLock getLock(String name, String key) {
			return VirtualElections.this.registry.getLock(name, key);
		}

		@Override
		public Lease acquire(LockRequest request) {
			return VirtualElections.this.registry.acquire(request);
		}

		@Override
		public Optional<Lease> tryAcquire(LockRequest request) {
			return VirtualElections.this.registry.tryAcquire(request);
		}

	}

}

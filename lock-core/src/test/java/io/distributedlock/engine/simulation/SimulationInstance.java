package io.distributedlock.engine.simulation;

import java.time.Duration;
import java.util.concurrent.Executor;

import io.distributedlock.LossReason;
import io.distributedlock.engine.SimulatedEngine;
import io.distributedlock.engine.internal.instance.EngineDrive;
import io.distributedlock.engine.internal.instance.EngineExecutors;
import io.distributedlock.engine.internal.instance.RequestIds;
import io.distributedlock.engine.internal.time.EngineLoop;
import io.distributedlock.engine.internal.time.Ticker;

/**
 * An instance of an application: an engine whose clock may run a little fast or slow. It
 * can stop for a while, stop for ever, or shut down.
 */
final class SimulationInstance implements Ticker {

	/** Timers and callbacks are this late at most, by other work of the machine. */
	static final long LAG_NANOS = 2_000_000;

	/** Never asked for a time further away than this. */
	private static final long HORIZON_NANOS = 5_000_000_000_000L;

	private static final long LAST_ANSWERS_NANOS = 1_000_000_000;

	private final SimulationWorld world;

	private final String name;

	private final long origin;

	private final long rate;

	private final EngineLoop loop = new EngineLoop(this::alarmed);

	private final SimulationLink link;

	private final SimulatedEngine engine;

	private final SimulationEvents events;

	/** How long this machine was suspended before it was for the last time. */
	private long suspended;

	private long suspendedFrom;

	private long suspendedUntil;

	private long wallAheadMillis;

	private long lookedAt;

	private long nextDrive = Long.MAX_VALUE;

	private long resumedAt;

	private boolean crashed;

	private boolean stopped;

	SimulationInstance(SimulationWorld world, int number) {
		this.world = world;
		this.name = "instance " + number;
		SimulationChance chance = world.chance();
		this.origin = chance.millis(1, 100_000);
		this.rate = chance.below(8001) - 4000 + world.sabotage().clockError();
		this.link = new SimulationLink(world, this);
		this.events = new SimulationEvents(world);
		Executor soon = (task) -> after(chance.upTo(LAG_NANOS), task);
		EngineExecutors executors = new EngineExecutors(soon, soon, world.sabotage().lossCallbacks(soon), soon, soon);
		EngineDrive drive = new EngineDrive(this, this::wallMillis, this.loop, executors,
				(nanos) -> nanos - chance.upTo(nanos / 4), new RequestIds(number,
						() -> world.clocks().upTo(Long.MAX_VALUE - 1), () -> world.clocks().upTo(Long.MAX_VALUE - 1)));
		this.engine = new SimulatedEngine(this.link, drive, this.events);
	}

	/** A clock that is wrong by some millionths, and stands still while suspended. */
	@Override
	public long nanos() {
		return local(this.world.now() - suspendedBy(this.world.now()));
	}

	private long suspendedBy(long time) {
		long last = Math.min(time, this.suspendedUntil) - this.suspendedFrom;
		return this.suspended + Math.max(0, last);
	}

	/** Goes on while suspended, unless the machine does not set it when it goes on. */
	private long wallMillis() {
		this.lookedAt = this.world.now();
		long time = this.world.sabotage().blind() ? nanos() : local(this.world.now());
		return time / 1_000_000 + this.wallAheadMillis;
	}

	private long local(long time) {
		return this.origin + time + Math.floorDiv(time * this.rate, 1_000_000L);
	}

	/** When this instance's clock will show a time. */
	long worldTime(long local) {
		long elapsed = Math.min(local - this.origin, HORIZON_NANOS);
		long time = Math.max(0, elapsed * 1_000_000 / (1_000_000 + this.rate) - 2);
		while (local(time) < this.origin + elapsed) {
			time++;
		}
		return time + this.suspended + this.suspendedUntil - this.suspendedFrom;
	}

	SimulatedEngine engine() {
		return this.engine;
	}

	SimulationLink link() {
		return this.link;
	}

	SimulationWorld world() {
		return this.world;
	}

	/** Let something happen in this instance, as soon as it runs. */
	void after(long delay, Runnable task) {
		at(this.world.now() + delay, task);
	}

	void at(long time, Runnable task) {
		this.world.scheduler().at(time, () -> deliver(task));
	}

	private void deliver(Runnable task) {
		if (this.crashed) {
			return;
		}
		if (this.world.now() < this.resumedAt) {
			at(this.resumedAt + this.world.chance().upTo(LAG_NANOS), task);
			return;
		}
		task.run();
	}

	private void alarmed() {
		if (!this.world.sabotage().deaf() || this.nextDrive == Long.MAX_VALUE) {
			driveAt(this.world.now());
		}
	}

	private void driveAt(long time) {
		if (time < this.nextDrive && !this.stopped) {
			this.nextDrive = time;
			at(time + this.world.chance().upTo(LAG_NANOS), () -> drive(time));
		}
	}

	private void drive(long planned) {
		if (planned != this.nextDrive || this.stopped) {
			return;
		}
		this.nextDrive = Long.MAX_VALUE;
		long next = this.loop.runDue(nanos());
		if (next != Long.MAX_VALUE) {
			driveAt(worldTime(next));
		}
	}

	/** All threads stop for a while; the commands already sent are under way. */
	void pause(long nanos) {
		this.world.trace(() -> this.name + " pauses for " + nanos / 1_000_000 + " ms");
		this.resumedAt = Math.max(this.resumedAt, this.world.now() + nanos);
	}

	/** Return whether it is suspended, or has not looked at the clocks since. */
	boolean isUnaware() {
		return this.lookedAt < this.suspendedUntil && !this.world.sabotage().blind();
	}

	/** As a pause, but its monotonic clock stands still. */
	void suspend(long nanos) {
		if (this.world.now() >= this.resumedAt) {
			this.suspended = suspendedBy(this.world.now());
			this.suspendedFrom = this.world.now();
			this.suspendedUntil = this.world.now() + nanos;
			this.world.trace(() -> this.name + " is suspended");
			pause(nanos);
		}
	}

	void setWallClock(long millis) {
		this.world.trace(() -> this.name + " sets its wall clock by " + millis + " ms");
		this.wallAheadMillis += millis;
	}

	/** When it went on for the last time, or will. */
	long resumedAt() {
		return this.resumedAt;
	}

	void crash() {
		this.world.trace(() -> this.name + " crashes");
		this.crashed = true;
	}

	boolean isGone() {
		return this.crashed || this.stopped;
	}

	boolean isCrashed() {
		return this.crashed;
	}

	/** Close as the registry does, without a thread that waits. */
	void shutDown(Duration grace) {
		if (this.engine.instance().isClosed()) {
			return;
		}
		this.world.trace(() -> this.name + " shuts down");
		this.engine.stopHandingOut();
		awaitIdle(this.world.now() + grace.toNanos(), () -> {
			this.engine.loseAll(LossReason.SHUTDOWN);
			awaitIdle(this.world.now() + LAST_ANSWERS_NANOS, this::stop);
		});
	}

	private void awaitIdle(long until, Runnable then) {
		boolean idle = this.engine.instance().heldCount() == 0 && this.engine.instance().backgroundCount() == 0;
		if (idle || this.world.now() >= until) {
			then.run();
		}
		else {
			after(20_000_000, () -> awaitIdle(until, then));
		}
	}

	private void stop() {
		this.loop.runDue(nanos());
		this.stopped = true;
		this.engine.stop();
		this.world.trace(() -> this.name + " has stopped");
	}

	/** Nothing may be left once all requests have ended. */
	void checkNothingLeft() {
		if (!this.crashed) {
			this.events.checkAllEnded(this);
			checkNone(this.engine.instance().heldCount(), "locks held");
			if (!this.stopped) {
				// Commands that waited for another try when it stopped are dropped.
				checkNone(this.engine.instance().backgroundCount(), "commands in the background");
				checkNone(this.engine.instance().requestIds().taken(), "places of requests");
			}
			checkNone(this.engine.queues().index.size(), "queues");
			checkNone(this.loop.timers().size(), "timers");
		}
	}

	private void checkNone(int count, String what) {
		if (count != 0) {
			this.world.violation("%s has %d %s left", this, count, what);
		}
	}

	@Override
	public String toString() {
		return this.name;
	}

}

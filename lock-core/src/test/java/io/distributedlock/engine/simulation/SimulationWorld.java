package io.distributedlock.engine.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.store.LockKey;

/**
 * Some instances, their callers, a server and the network between them, on one thread and
 * a virtual clock. First there are faults, then none, then no new requests; in the end
 * nothing may be left. The seed decides everything.
 */
final class SimulationWorld {

	private static final long SECOND = 1_000_000_000L;

	private static final long LOOK_NANOS = 100_000_000;

	/** The time in which commands and faults from before the calm take effect. */
	private static final long SETTLING_NANOS = 4 * SECOND;

	/** Longer than a repeated command takes, and the lease that it may get. */
	private static final long CALM_NANOS = 7 * SECOND;

	/** The longest that callers can keep each other waiting in the end. */
	private static final long LONGEST_END_NANOS = 300 * SECOND;

	private static final int MOST_EVENTS = 1_000_000;

	private final SimulationSabotage sabotage;

	private final SimulationChance chance;

	/** Decides about clocks, so that it draws nothing from the chance of the rest. */
	private final SimulationChance clocks;

	private final SimulationScheduler scheduler = new SimulationScheduler();

	private final SimulationServer server;

	private final SimulationChecks checks;

	private final SimulationTokens tokens;

	private final SimulationPatience patience;

	private final SimulationFailOver failOver;

	private final List<SimulationInstance> instances = new ArrayList<>();

	private final SimulationModes modes;

	/** How many sets each caller takes, or zero. */
	private final int sets;

	private final int keyCount;

	private final boolean together;

	private final long calmAt;

	private final List<String> trace;

	private SimulationClimate climate;

	private boolean ending;

	private String violation;

	private int events;

	SimulationWorld(long seed, SimulationSabotage sabotage, boolean traced) {
		this(seed, sabotage, traced, 0);
	}

	/**
	 * A world without faults, in which each caller acquires so many overlapping sets of
	 * locks.
	 */
	static SimulationWorld crowd(long seed, SimulationSabotage sabotage, boolean traced, int sets) {
		return new SimulationWorld(seed, sabotage, traced, sets);
	}

	private SimulationWorld(long seed, SimulationSabotage sabotage, boolean traced, int sets) {
		this.sets = sets;
		this.sabotage = sabotage;
		this.chance = new SimulationChance(seed);
		this.clocks = new SimulationChance(seed * 31 + 17);
		this.trace = traced ? new ArrayList<>() : null;
		this.server = new SimulationServer(this, sabotage);
		this.checks = new SimulationChecks(this);
		this.tokens = new SimulationTokens(this);
		this.failOver = new SimulationFailOver(this, seed);
		this.patience = new SimulationPatience(this);
		this.climate = (sets > 0) ? SimulationClimate.CALM
				: hasHerd() ? SimulationClimate.ofHerd(this.failOver.chance())
						: SimulationClimate.of(this.chance).withReplicas(seed);
		this.modes = (sets > 0) ? SimulationModes.mixed(this.chance)
				: SimulationModes.of(this.chance).withMore(new SimulationChance(seed * 53 + 29));
		this.keyCount = (sets > 0) ? SimulationOptions.KEYS.size() : 1 + this.chance.below(SimulationOptions.FEW_KEYS);
		this.together = this.chance.of(0.6);
		this.calmAt = (sets > 0) ? 0 : this.chance.millis(2000, 10_000);
		for (int i = 2 + this.chance.below(3); i > 0; i--) {
			addInstance();
		}
	}

	void addInstance() {
		SimulationInstance added = new SimulationInstance(this, this.instances.size() + 1);
		this.instances.add(added);
		for (int i = 1 + this.chance.below(3) + (hasHerd() ? 2 : 0); i > 0; i--) {
			String name = added + " caller " + i;
			if (this.sets > 0) {
				new SimulationCrowd(added, name, this.sets).start();
			}
			else if (hasHerd()) {
				new SimulationHerd(added).start();
			}
			else {
				new SimulationCaller(added, name).start();
			}
		}
	}

	private boolean hasHerd() {
		return this.sets == 0 && this.failOver.hasHerd();
	}

	/** Live through everything, up to the end or to the first violation. */
	SimulationWorld run() {
		if (this.sets == 0) {
			new SimulationFaults(this, this.calmAt).schedule();
		}
		this.scheduler.at(this.calmAt, () -> this.climate = SimulationClimate.CALM);
		this.scheduler.at(this.calmAt + SETTLING_NANOS, this::look);
		this.scheduler.at(this.calmAt + SETTLING_NANOS + CALM_NANOS, () -> this.ending = true);
		this.scheduler.at(this.calmAt + SETTLING_NANOS + CALM_NANOS + LONGEST_END_NANOS / 2,
				this.patience::endWaitsOfTwoOrders);
		runUntil(this.calmAt + SETTLING_NANOS + CALM_NANOS + LONGEST_END_NANOS);
		if (this.violation == null) {
			checkEnd();
		}
		return this;
	}

	private void runUntil(long end) {
		while (this.violation == null && this.scheduler.runNext(end)) {
			if (++this.events > MOST_EVENTS) {
				violation("The world does not come to rest");
			}
		}
	}

	private void look() {
		this.patience.look();
		if (!this.ending || !this.patience.isQuiet() || !this.checks.isQuiet()) {
			this.scheduler.after(LOOK_NANOS, this::look);
		}
	}

	private void checkEnd() {
		this.patience.checkAllServed();
		this.checks.checkAllEnded();
		this.checks.checkNothingOrphaned();
		this.instances.forEach(SimulationInstance::checkNothingLeft);
		this.scheduler.advanceTo(now() + SimulationOptions.LONGEST_TTL_NANOS + SimulationOptions.LONGEST_DELAY_NANOS);
		for (LockKey key : SimulationOptions.KEYS) {
			if (!this.server.isFree(key)) {
				violation("%s is never free again", key);
			}
		}
		this.scheduler.advanceTo(now() + SimulationScripts.RETENTION.toNanos() * 2);
		for (LockKey key : SimulationOptions.KEYS) {
			if (!this.server.isForgotten(key)) {
				violation("%s is never forgotten", key);
			}
		}
	}

	void violation(String what, Object... args) {
		String text = what.formatted(args);
		trace(() -> "VIOLATION " + text);
		if (this.violation == null) {
			this.violation = text;
		}
	}

	void trace(Supplier<String> what) {
		if (this.trace != null) {
			this.trace.add("%9.3f %s".formatted(now() / 1e9, what.get()));
		}
	}

	List<String> trace() {
		return this.trace;
	}

	/** The first thing that went wrong, or {@code null}. */
	String violation() {
		return this.violation;
	}

	int events() {
		return this.events;
	}

	/** Return whether there have been no faults or effects of faults since a time. */
	boolean isCalmSince(long time) {
		return time >= this.calmAt + SETTLING_NANOS;
	}

	boolean isEnding() {
		return this.ending;
	}

	long now() {
		return this.scheduler.now();
	}

	SimulationSabotage sabotage() {
		return this.sabotage;
	}

	SimulationChance chance() {
		return this.chance;
	}

	SimulationChance clocks() {
		return this.clocks;
	}

	SimulationScheduler scheduler() {
		return this.scheduler;
	}

	SimulationClimate climate() {
		return this.climate;
	}

	SimulationServer server() {
		return this.server;
	}

	SimulationChecks checks() {
		return this.checks;
	}

	SimulationTokens tokens() {
		return this.tokens;
	}

	SimulationFailOver failOver() {
		return this.failOver;
	}

	SimulationPatience patience() {
		return this.patience;
	}

	List<SimulationInstance> instances() {
		return this.instances;
	}

	SimulationModes modes() {
		return this.modes;
	}

	int keyCount() {
		return this.keyCount;
	}

	boolean takesTogether() {
		return this.together;
	}

}

package io.distributedlock.engine;

import java.util.List;
import java.util.stream.Stream;

import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

/**
 * How much Lincheck does in every build; {@code -Dlincheck.factor=10} does ten times as
 * many scenarios.
 */
final class Interleavings {

	private static final int FACTOR = Integer.getInteger("lincheck.factor", 1);

	/** Logging calls, which decide nothing. */
	private static final ManagedStrategyGuarantee LOGS = forClasses(
			(name) -> name.startsWith("org.apache.commons.logging.") || name.startsWith("ch.qos.logback.")
					|| name.startsWith("org.slf4j."))
		.allMethods()
		.ignore();

	static {
		// A scenario that Lincheck ends on the way must not be the first to load the data
		// of the locale, which would stay broken.
		String.format("%,d", 0);
	}

	private Interleavings() {
	}

	/** All switches between threads, a few at a time, in some scenarios. */
	static ModelCheckingOptions chosen(int scenarios) {
		return new ModelCheckingOptions().iterations(scenarios * FACTOR)
			.invocationsPerIteration(100)
			.threads(2)
			.actorsPerThread(2)
			.actorsBefore(0)
			.actorsAfter(1)
			.addGuarantee(LOGS);
	}

	/**
	 * All switches between two threads that do the same, each with an argument of its
	 * own, in a class in which that is known to be a race.
	 */
	static ModelCheckingOptions race(Class<?> operations, String operation, int first, int second) {
		return beside(actor(operations, operation, first), actor(operations, operation, second), List.of())
			.minimizeFailedScenario(false);
	}

	/**
	 * All switches between two threads that do one thing each, and then another one.
	 */
	static ModelCheckingOptions beside(Class<?> operations, String first, String second, String then) {
		return beside(actor(operations, first), actor(operations, second), List.of(actor(operations, then)));
	}

	private static ModelCheckingOptions beside(Actor first, Actor second, List<Actor> then) {
		return chosen(0)
			.addCustomScenario(new ExecutionScenario(List.of(), List.of(List.of(first), List.of(second)), then, null));
	}

	private static Actor actor(Class<?> operations, String operation, Integer... arguments) {
		try {
			Class<?>[] types = Stream.of(arguments).map((argument) -> int.class).toArray(Class<?>[]::new);
			return new Actor(operations.getMethod(operation, types), List.of(arguments));
		}
		catch (NoSuchMethodException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

	/**
	 * Whatever real threads come upon; each thread does only its own. A scenario that
	 * fails is told as it was: one with fewer threads may fail because an operation knows
	 * its thread by a parameter.
	 */
	static StressOptions random(int scenarios) {
		return new StressOptions().iterations(scenarios * FACTOR)
			.minimizeFailedScenario(false)
			.invocationsPerIteration(1000)
			.threads(3)
			.actorsPerThread(3)
			.actorsBefore(0)
			.actorsAfter(0);
	}

}

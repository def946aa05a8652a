package io.distributedlock.chaos;

import java.util.Random;

/**
 * A kind of fault.
 *
 * @param name the name in the report
 * @param strike the action that causes it; it returns when the fault is over
 */
record Nemesis(String name, Strike strike) {

	/** Begins a fault, lets it last, ends it. */
	@FunctionalInterface
	interface Strike {

		void on(Arena arena, Random random) throws Exception;

	}

}

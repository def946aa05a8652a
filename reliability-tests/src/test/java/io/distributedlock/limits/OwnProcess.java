package io.distributedlock.limits;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

import javax.management.JMException;
import javax.management.ObjectName;

/** What this process has in use. */
final class OwnProcess {

	/** One object for each queue, acquisition, lease, caller or command of the engine. */
	private static final Set<String> ENGINE = Set.of("KeyQueue", "Grant", "GrantLease", "Waiter", "Contention",
			"BackgroundCommand");

	/** The serial collector lets a little garbage lie, but not every fourth time. */
	private static final int COLLECTIONS = 5;

	private OwnProcess() {
	}

	/** The heap that is reachable. */
	static long usedHeap() {
		long least = Long.MAX_VALUE;
		for (int i = 0; i < COLLECTIONS; i++) {
			System.gc();
			least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
		}
		return least;
	}

	/** The threads of the library. */
	static List<String> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.startsWith("distributed-lock"))
			.sorted()
			.toList();
	}

	/** How many reachable objects of the engine belong to a lock or to a caller. */
	static long engineObjects() {
		return Arrays.stream(histogram().split("\n"))
			.map((line) -> line.trim().split("\\s+"))
			.filter((columns) -> columns.length >= 4 && columns[3].startsWith("io.distributedlock.engine."))
			.filter((columns) -> ENGINE.contains(columns[3].substring(columns[3].lastIndexOf('.') + 1)))
			.mapToLong((columns) -> Long.parseLong(columns[1]))
			.sum();
	}

	/** The classes of the heap with the number and the size of their objects. */
	private static String histogram() {
		try {
			return (String) ManagementFactory.getPlatformMBeanServer()
				.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
						new Object[] { new String[0] }, new String[] { String[].class.getName() });
		}
		catch (JMException ex) {
			throw new IllegalStateException(ex);
		}
	}

}

package io.distributedlock.limits;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;

import javax.management.JMException;
import javax.management.ObjectName;

import static org.awaitility.Awaitility.await;

/** The resources that this process uses. */
final class OwnProcess {

	/**
	 * Classes with an object for each queue, acquisition, lease, caller or command of the
	 * engine.
	 */
	private static final Set<String> ENGINE = Set.of("KeyQueue", "QueuedGrant", "Hold", "GrantLease", "Waiter",
			"WaiterTimer", "Contention", "EndCommand");

	/** How often is looked, since commands on their way come and go. */
	private static final int LOOKS = 4;

	private OwnProcess() {
	}

	/**
	 * The bytes of all reachable objects. The used heap would count the free rest of what
	 * each thread has reserved as well, up to a megabyte.
	 */
	static long usedHeap() {
		List<Long> used = new ArrayList<>();
		await().pollDelay(Duration.ZERO)
			.pollInterval(Duration.ofMillis(150))
			.atMost(Duration.ofMinutes(1))
			.until(() -> used.add(reachableBytes()) && used.size() == LOOKS);
		return Collections.min(used);
	}

	private static long reachableBytes() {
		String histogram = histogram();
		String[] total = histogram.substring(histogram.lastIndexOf("Total")).trim().split("\\s+");
		return Long.parseLong(total[2]);
	}

	/** The threads of the library, without those of the driver on its connections. */
	static List<String> threads() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.map(Thread::getName)
			.filter((name) -> name.startsWith("distributed-lock") && !name.startsWith("distributed-lock-lettuce"))
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

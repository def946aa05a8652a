package io.distributedlock.benchmarks.protocol;

import java.lang.management.ManagementFactory;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;

/**
 * The memory and processor time of this process, in all of its threads.
 */
public final class ProcessFigures {

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	private ProcessFigures() {
	}

	/**
	 * The memory that live threads have allocated.
	 * @return bytes
	 */
	public static long allocated() {
		long bytes = 0;
		for (long thread : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
			bytes += Math.max(0, thread);
		}
		return bytes;
	}

	/**
	 * The used heap after collections, until three of them in a row free nothing more.
	 * @return bytes
	 */
	public static long heap() {
		long least = Long.MAX_VALUE;
		for (int quiet = 0; quiet < 3;) {
			System.gc();
			long used = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
			quiet = (used < least) ? 0 : quiet + 1;
			least = Math.min(least, used);
		}
		return least;
	}

	/**
	 * The processor time of this process.
	 * @return microseconds
	 */
	public static double cpuMicros() {
		return SYSTEM.getProcessCpuTime() / 1e3;
	}

}

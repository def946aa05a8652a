package io.distributedlock.benchmarks.protocol;

import java.lang.management.ManagementFactory;

import com.sun.management.OperatingSystemMXBean;
import com.sun.management.ThreadMXBean;

/**
 * What this process has used, in all of its threads.
 */
public final class ProcessFigures {

	private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	private static final OperatingSystemMXBean SYSTEM = (OperatingSystemMXBean) ManagementFactory
		.getOperatingSystemMXBean();

	private ProcessFigures() {
	}

	/**
	 * What threads that live have allocated.
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
	 * What is left on the heap when several collections in a row have found nothing more.
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

package io.distributedlock.benchmarks.comparison;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The threads of this process, and those that act as the callers of locks.
 */
final class Threads {

	/** Threads that belong to a driver of Redis, or to its event loop. */
	private static final Pattern DRIVER = Pattern.compile(
			"((distributed-lock-)?lettuce-|redisson-netty|nioEventLoop|multiThreadIoEventLoop|commons-pool|globalEventExecutor).*");

	private static final Pattern CALLER = Pattern.compile("caller|process reaper.*");

	private static final ExecutorService CALLERS = Executors.newCachedThreadPool((task) -> {
		Thread thread = new Thread(task, "caller");
		thread.setDaemon(true);
		return thread;
	});

	private Threads() {
	}

	/** Return the threads that act as callers. */
	static ExecutorService callers() {
		return CALLERS;
	}

	/** Return the ids of the live threads. */
	static Set<Long> live() {
		return infos().map(ThreadInfo::getThreadId).collect(Collectors.toSet());
	}

	/** Return the names of threads that have started since and are not callers. */
	static List<String> since(Set<Long> before) {
		return infos().filter((thread) -> !before.contains(thread.getThreadId()))
			.map(ThreadInfo::getThreadName)
			.filter((name) -> !CALLER.matcher(name).matches())
			.toList();
	}

	static boolean isOfDriver(String name) {
		return DRIVER.matcher(name).matches();
	}

	private static Stream<ThreadInfo> infos() {
		return Arrays.stream(ManagementFactory.getThreadMXBean().dumpAllThreads(false, false));
	}

}

package io.distributedlock.museum;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The result of tests that ran in a process of their own.
 *
 * @param outcome how they ended
 * @param took how long the tests took
 * @param output the output that they printed
 */
record ProbeRun(Outcome outcome, Duration took, String output) {

	/** Several times the limit of a test, which may run with several drivers. */
	private static final Duration PATIENCE = Duration.ofSeconds(300);

	/**
	 * Run tests of one class.
	 * @param directory the first entry of the class path; also for the output
	 * @param className the class
	 * @param methodNames its tests
	 * @return the result
	 */
	static ProbeRun of(Path directory, String className, Collection<String> methodNames)
			throws IOException, InterruptedException {
		Path output = directory.resolve("output.txt");
		List<String> command = new ArrayList<>(
				List.of(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC",
						"-XX:TieredStopAtLevel=1", "-cp", classPath(directory), TestProbe.class.getName(), className));
		command.addAll(methodNames);
		long started = System.nanoTime();
		Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
		boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
		if (!ended) {
			process.descendants().forEach(ProcessHandle::destroyForcibly);
			process.destroyForcibly().waitFor();
		}
		Duration took = Duration.ofNanos(System.nanoTime() - started);
		return new ProbeRun(ended ? Outcome.of(process.exitValue()) : Outcome.HANGING, took, Files.readString(output));
	}

	private static String classPath(Path directory) {
		String tests = Repository.libraryTests()
			.stream()
			.map(Path::toString)
			.collect(Collectors.joining(File.pathSeparator));
		return String.join(File.pathSeparator, directory.toString(), tests, Repository.classPath());
	}

	/** How tests end. */
	enum Outcome {

		GREEN, RED, HANGING, BROKEN;

		static Outcome of(int exitValue) {
			return switch (exitValue) {
				case TestProbe.GREEN -> GREEN;
				case TestProbe.RED -> RED;
				default -> BROKEN;
			};
		}

	}

}

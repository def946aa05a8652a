package io.distributedlock.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Starts programs that refuse to run as root: as another user, if this JVM is root. They
 * write to a file {@code log} in their folder, and are killed when this JVM has ended.
 */
final class UnprivilegedProcess {

	/**
	 * A command that kills the program when this JVM has ended, which it sees as the end
	 * of its input. The Redis servers do the same.
	 */
	private static final String WATCHED = "exec 3<&0; (cat; kill -9 $$) <&3 >/dev/null 2>&1 & exec \"$@\" </dev/null 3<&-";

	private static final int USER = 65534;

	/** The unit of file sizes that POSIX gives to the shell's limits. */
	private static final int BLOCK = 512;

	private UnprivilegedProcess() {
	}

	static Process start(Path folder, List<String> program) throws IOException {
		return start(folder, program, "");
	}

	/** Start a program that can write no larger files than that. */
	static Process start(Path folder, List<String> program, long bytes) throws IOException {
		return start(folder, program, "ulimit -f %d && ".formatted(bytes / BLOCK));
	}

	private static Process start(Path folder, List<String> program, String limit) throws IOException {
		List<String> command = new ArrayList<>(List.of("/bin/sh", "-c", limit + WATCHED, "embedded"));
		if (isRoot()) {
			command.addAll(List.of("setpriv", "--reuid=" + USER, "--regid=" + USER, "--clear-groups"));
		}
		command.addAll(program);
		return new ProcessBuilder(command).directory(folder.toFile())
			.redirectErrorStream(true)
			.redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("log").toFile()))
			.start();
	}

	static String log(Path folder) throws IOException {
		return Files.readString(folder.resolve("log"));
	}

	/** Let programs write to a folder. */
	static void own(Path folder) throws IOException {
		if (isRoot()) {
			Files.setAttribute(folder, "unix:uid", USER);
		}
	}

	private static boolean isRoot() {
		return "root".equals(System.getProperty("user.name"));
	}

}

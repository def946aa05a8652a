package io.distributedlock.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Command line of a server process.
 */
interface ServerArguments {

	/**
	 * The arguments after the name of the executable.
	 * @param port the port to listen on
	 * @param folder the folder of its files, kept over restarts
	 * @return the arguments
	 */
	List<String> of(int port, Path folder) throws IOException;

	/** The arguments of a data server. */
	static ServerArguments dataServer(ServerBinary binary, List<String> settings) {
		return (port, folder) -> {
			List<String> arguments = new ArrayList<>(List.of("--port", Integer.toString(port), "--bind", "127.0.0.1",
					"--protected-mode", "no", "--dir", folder.toString(), "--save", "", "--appendonly", "no",
					"--daemonize", "no", "--loglevel", "notice"));
			if (binary.majorVersion() >= 7) {
				arguments.addAll(List.of("--enable-debug-command", "yes"));
			}
			arguments.addAll(settings);
			return arguments;
		};
	}

	/**
	 * The arguments of a Sentinel. It rewrites its configuration file, and reads that
	 * again after a restart.
	 */
	static ServerArguments sentinel(List<String> configuration) {
		return (port, folder) -> {
			Path file = folder.resolve("sentinel.conf");
			if (!Files.exists(file)) {
				List<String> lines = new ArrayList<>(
						List.of("port " + port, "bind 127.0.0.1", "protected-mode no", "dir " + folder));
				lines.addAll(configuration);
				Files.write(file, lines);
			}
			return List.of(file.toString(), "--sentinel");
		};
	}

}

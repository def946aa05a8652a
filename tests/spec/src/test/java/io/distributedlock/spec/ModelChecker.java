package io.distributedlock.spec;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs TLC with one worker. Each run has a process of its own, because TLC keeps its
 * state in static fields.
 */
final class ModelChecker {

	private static final Path TARGET = Path.of("target", "tlc").toAbsolutePath();

	private ModelChecker() {
	}

	/**
	 * Explores all states of a model, or as many as are needed to violate a claim.
	 * @param model the model
	 * @param counting whether to count the effects of each action, which takes half as
	 * long again
	 * @return the findings of TLC
	 */
	static Findings check(Model model, boolean counting) throws IOException, InterruptedException {
		Files.createDirectories(TARGET);
		Path directory = Files.createTempDirectory(TARGET, model.module());
		Path configuration = Files.writeString(directory.resolve("model.cfg"), model.configuration());
		Path output = directory.resolve("output.txt");
		Process process = new ProcessBuilder(command(model, counting, directory, configuration))
			.directory(Model.DIRECTORY.toFile())
			.redirectErrorStream(true)
			.redirectOutput(output.toFile())
			.start();
		try {
			process.waitFor();
		}
		finally {
			process.destroyForcibly();
		}
		return new Findings(output, Files.readString(output, StandardCharsets.UTF_8));
	}

	private static List<String> command(Model model, boolean counting, Path directory, Path configuration) {
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		// The compiler and the collector that the tests have.
		ManagementFactory.getRuntimeMXBean()
			.getInputArguments()
			.stream()
			.filter((argument) -> argument.startsWith("-XX:"))
			.forEach(command::add);
		// TLC unpacks the standard modules there, which parallel runs must not share.
		command.addAll(List.of("-Djava.io.tmpdir=" + directory, "-cp",
				System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")), "tlc2.TLC"));
		command.addAll(List.of("-tool", "-workers", "1"));
		if (counting) {
			command.addAll(List.of("-coverage", "60"));
		}
		command.addAll(List.of("-metadir", directory.resolve("states").toString()));
		command.addAll(List.of("-config", configuration.toString(), model.module() + ".tla"));
		return command;
	}

}

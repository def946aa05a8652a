package io.distributedlock.engine;

import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs jcstress in a process of its own, with {@code -Djcstress.arguments}; fewer samples
 * than those of its mode "quick" do not find the known race. Its report is in
 * {@code target/jcstress}.
 */
@Tag("jcstress")
class JcstressTests {

	@Test
	void racesOfLeasesAndWaitersHaveNoForbiddenOutcome() throws Exception {
		assertThat(run("(LeaseRaces|WaiterRaces)", "races")).isZero();
	}

	@Test
	void forbiddenOutcomeIsNoticed() throws Exception {
		assertThat(run("KnownRaces", "known")).isNotZero();
	}

	private static int run(String races, String report) throws IOException, InterruptedException {
		File directory = Path.of("target", "jcstress", report).toFile();
		directory.mkdirs();
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
						System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
						"org.openjdk.jcstress.Main", "-t", races, "-r", directory.getAbsolutePath()));
		command.addAll(List.of(System.getProperty("jcstress.arguments", "-m quick -sc false").split(" ")));
		return new ProcessBuilder(command).directory(directory)
			.redirectErrorStream(true)
			.redirectOutput(new File(directory, "output.txt"))
			.start()
			.waitFor();
	}

}

package io.distributedlock;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * In every module a test that waits forever ends, says where all threads were, and does
 * not keep the others from running.
 */
class TestLimitsTests {

	private static final Path REPOSITORY = Path.of("../..");

	static List<Path> modules() throws IOException {
		try (Stream<Path> above = Files.list(REPOSITORY);
				Stream<Path> tests = Files.list(REPOSITORY.resolve("tests"))) {
			return Stream.concat(above, tests).filter((file) -> Files.isDirectory(file.resolve("src/test"))).toList();
		}
	}

	/** Modules whose tests use those of the core have its settings from there. */
	private static Path settings(Path module) throws IOException {
		boolean usesTheCore = !module.endsWith("lock-core")
				&& Files.readString(module.resolve("pom.xml")).contains("<type>test-jar</type>");
		return (usesTheCore ? REPOSITORY.resolve("lock-core") : module)
			.resolve("src/test/resources/junit-platform.properties");
	}

	@ParameterizedTest
	@MethodSource("modules")
	void testsOfEveryModuleHaveALimit(Path module) throws IOException {
		Properties settings = new Properties();
		try (InputStream file = Files.newInputStream(settings(module))) {
			settings.load(file);
		}
		assertThat(settings).containsEntry("junit.jupiter.execution.timeout.default", "5 m")
			.containsEntry("junit.jupiter.execution.timeout.thread.mode.default", "separate_thread")
			.containsEntry("junit.jupiter.execution.timeout.threaddump.enabled", "true");
	}

}

package io.distributedlock;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The names of tests say subject, condition and result, and can be read at a glance. */
class TestNameTests {

	private static final Path ROOT = Path.of("../..");

	private static final int MOST_LETTERS = 60;

	private static final Pattern NAMED_OTHERWISE = Pattern
		.compile("^(Simulation|Memory)|(Contract|Integration|Reference|Document|Files)$");

	private static final Pattern METHOD = Pattern
		.compile("(?m)^\\s*(?:public |private |internal )?(?:void|fun) `?([A-Za-z0-9_]+)`?\\(");

	@Test
	void testNameIsShort() throws IOException {
		List<String> names = Stream.concat(DocumentationTests.files(ROOT, "java"), DocumentationTests.files(ROOT, "kt"))
			.filter((file) -> file.toString().contains("/src/test/")
					|| file.toString().contains("lock-store-contracts"))
			.flatMap(TestNameTests::names)
			.toList();
		assertThat(names).hasSizeGreaterThan(3_000).allMatch((name) -> name.length() <= MOST_LETTERS);
	}

	/**
	 * A reader finds the tests of a class by its name. The tests of a contract, of a page
	 * or of a scenario on a server have names of their own.
	 */
	@Test
	void testClassIsNamedAfterWhatItTests() throws IOException {
		for (String module : List.of("lock-core", "lock-redis", "lock-redlock", "lock-jdbc", "lock-spring")) {
			Path sources = ROOT.resolve(module).resolve("src");
			List<String> types = names(sources.resolve("main"), ".java");
			List<String> tests = names(sources.resolve("test"), "Tests.java");
			assertThat(tests).as(module)
				.hasSizeGreaterThan(5)
				.filteredOn((name) -> !NAMED_OTHERWISE.matcher(name).find())
				.allMatch((name) -> types.stream().anyMatch(name::startsWith));
		}
	}

	private static List<String> names(Path sources, String ending) throws IOException {
		try (Stream<Path> files = Files.walk(sources)) {
			return files.map((file) -> file.getFileName().toString())
				.filter((name) -> name.endsWith(ending))
				.map((name) -> name.replaceFirst("(Tests)?\\.java$", ""))
				.toList();
		}
	}

	@Test
	void nameOfATestIsFoundInJavaAndKotlin() {
		assertThat(names("	void one() {\n	public void two(int a) {\n    fun `three`() {\n    int four() {\n"))
			.containsExactly("one", "two", "three");
	}

	private static Stream<String> names(Path source) {
		try {
			return names(Files.readString(source)).stream();
		}
		catch (IOException ex) {
			throw new IllegalStateException("The source " + source + " cannot be read", ex);
		}
	}

	private static List<String> names(String source) {
		return METHOD.matcher(source).results().map((found) -> found.group(1)).toList();
	}

}

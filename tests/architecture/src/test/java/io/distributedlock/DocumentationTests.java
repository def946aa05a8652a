package io.distributedlock;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The documents of the repository can be read on a screen, and they and the sources keep
 * to the terms of the field.
 */
class DocumentationTests {

	private static final Path ROOT = Path.of("../..");

	/** Folders that others change while these tests run, and those of other authors. */
	private static final Set<String> UNSTEADY = Set.of("target", ".git", "node_modules");

	private static final int WIDTH = 160;

	/** Persons where a thing of the code is meant, and words with a standard term. */
	private static final Pattern UNWANTED = Pattern.compile("(?i:whoever|whomever|somebody|nobody|anybody|everybody"
			+ "|\\b(give|gives|given|take|takes|taken) back\\b|\\bhand-over\\b)|(Give|Gives|Given|Take|Takes|Taken)Back");

	/** A link without a protocol. */
	private static final Pattern LINK = Pattern.compile("]\\(([^):\\s]+)\\)");

	/**
	 * A name in code format, or one of several words as only types have. Others' are
	 * excepted.
	 */
	private static final Pattern TYPE = Pattern
		.compile("(?!ReentrantLock|Mono\\b|Flux\\b)(?:(?<=`)[A-Z][a-z]\\w*(?=[`.])|(?<![\\w.])(?:[A-Z][a-z]+){2,}\\b)");

	/** The group and the version in the root pom. */
	private static final Pattern PROJECT = Pattern
		.compile("<groupId>([^<]+)<[^>]+>\\s*<artifactId>lock-spring-boot-parent<[^>]+>\\s*<version>([^<]+)<");

	/** This class, which has to name the unwanted words. */
	private static final String ITSELF = "DocumentationTests.java";

	static Stream<Path> pages() throws IOException {
		return files(ROOT, "md");
	}

	/** Sources of all modules, tests and their data included. */
	static Stream<Path> sources() throws IOException {
		return files(ROOT, "java", "kt", "lua", "tla", "cfg", "mutants", "yml")
			.filter((source) -> !source.endsWith(ITSELF));
	}

	/**
	 * The files without the output of builds, which may be copies, and comes and goes
	 * while other modules are built.
	 */
	static Stream<Path> files(Path root, String... endings) throws IOException {
		List<Path> files = new ArrayList<>();
		Files.walkFileTree(root, new SimpleFileVisitor<Path>() {

			@Override
			public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
				boolean skipped = UNSTEADY.contains(folder.getFileName().toString());
				return skipped ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
				if (Arrays.stream(endings).anyMatch((ending) -> file.toString().endsWith("." + ending))) {
					files.add(file);
				}
				return FileVisitResult.CONTINUE;
			}

			@Override
			public FileVisitResult visitFileFailed(Path gone, IOException failure) {
				return FileVisitResult.CONTINUE;
			}

		});
		return files.stream().sorted();
	}

	@ParameterizedTest
	@MethodSource("pages")
	void lineWhenOutsideTablesAndCodeFitsAScreen(Path page) throws IOException {
		assertThat(outsideCode(page)).filteredOn((line) -> !line.startsWith("|"))
			.allSatisfy((line) -> assertThat(line).hasSizeLessThanOrEqualTo(WIDTH));
	}

	@ParameterizedTest
	@MethodSource({ "pages", "sources" })
	void textKeepsToTheTermsOfTheField(Path text) throws IOException {
		assertThat(Files.readAllLines(text)).noneMatch((line) -> UNWANTED.matcher(line).find());
	}

	@ParameterizedTest
	@MethodSource("pages")
	void linkWhenToAFileOfTheRepositoryHasItsTarget(Path page) throws IOException {
		List<String> targets = LINK.matcher(String.join("\n", outsideCode(page)))
			.results()
			.map((link) -> link.group(1))
			.toList();
		assertThat(targets).allSatisfy((target) -> {
			String[] parts = target.split("#", 2);
			Path file = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
			assertThat(file).exists();
			assertThat((parts.length == 1) || anchors(file).contains(parts[1])).isTrue();
		});
	}

	/** Names of the architecture had been left behind by the code. */
	@Test
	void typeWhenNamedByTheArchitectureExists() throws IOException {
		String page = Files.readString(ROOT.resolve("docs/architecture.md"));
		List<String> names = TYPE.matcher(page).results().map((name) -> name.group()).toList();
		assertThat(names).hasSizeGreaterThan(50);
		Stream<Path> files = files(ROOT, "java");
		Set<String> types = files.map((file) -> file.getFileName().toString())
			.map((file) -> file.substring(0, file.length() - ".java".length()))
			.collect(Collectors.toSet());
		assertThat(types).containsAll(names);
	}

	/** A release sets the version in the poms and on these pages. */
	@ParameterizedTest
	@ValueSource(strings = { "README.md", "docs/quick-start.md" })
	void versionWhenNamedByAPageIsThatOfThePom(String page) throws IOException {
		Matcher project = PROJECT.matcher(Files.readString(ROOT.resolve("pom.xml")));
		assertThat(project.find()).isTrue();
		String group = Pattern.quote(project.group(1));
		Pattern version = Pattern.compile("<groupId>" + group + "<[^>]+>\\s*<artifactId>[\\w-]+<[^>]+>\\s*"
				+ "<version>([^<]+)<|" + group + ":[\\w-]+:([\\w.-]+)");
		List<String> versions = version.matcher(Files.readString(ROOT.resolve(page)))
			.results()
			.map((found) -> (found.group(1) != null) ? found.group(1) : found.group(2))
			.toList();
		assertThat(versions).hasSizeGreaterThan(1).containsOnly(project.group(2));
	}

	@Test
	void readmeHasAtMost120Lines() throws IOException {
		assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(120);
	}

	/** The anchors that GitHub makes of the headings. */
	private static List<String> anchors(Path page) throws IOException {
		return outsideCode(page).stream()
			.filter((line) -> line.startsWith("#"))
			.map((line) -> line.replaceFirst("#+ ", "").toLowerCase(Locale.ROOT))
			.map((heading) -> heading.replaceAll("[^\\w\\- ]", "").replace(' ', '-'))
			.toList();
	}

	private static List<String> outsideCode(Path page) throws IOException {
		List<String> lines = new ArrayList<>();
		boolean code = false;
		for (String line : Files.readAllLines(page)) {
			if (line.strip().startsWith("```")) {
				code = !code;
			}
			else if (!code) {
				lines.add(line);
			}
		}
		return lines;
	}

}

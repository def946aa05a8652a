package io.distributedlock.museum;

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.Sizes;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * The list of mutants fits the sources and the tests as they are now. That the mutants
 * are caught is shown by {@link MuseumRun}.
 */
class MutantTests {

	private static final String TEXT = """
			mutant: no-token
			bugs: 1, 54
			story: Nothing grows.
			source: resources/some.lua
			caught by: engine.SomeTests#some
			--- original
			token + 1
			--- mutant
			token
			--- end
			""";

	private static final Set<String> TEST_ANNOTATIONS = Set.of(Test.class.getName(), TestFactory.class.getName(),
			"org.junit.jupiter.params.ParameterizedTest");

	@TestFactory
	Stream<DynamicTest> mutantAppliesToItsSource() throws IOException {
		return MutantParser.readAll()
			.stream()
			.map((mutant) -> DynamicTest.dynamicTest(mutant.id(),
					() -> mutant.applyTo(Files.readString(Repository.source(mutant)))));
	}

	/**
	 * Applies one mutant of each file at a time, which is much faster than one by one.
	 */
	@Test
	void mutantsCompile(@TempDir Path directory) throws IOException {
		Map<String, Deque<Mutant>> bySource = MutantParser.readAll()
			.stream()
			.collect(Collectors.groupingBy(Mutant::source, TreeMap::new, Collectors.toCollection(ArrayDeque::new)));
		int rounds = bySource.values().stream().mapToInt(Deque::size).max().orElse(0);
		for (int i = 0; i < Math.max(1, Sizes.share(rounds)); i++) {
			Mutation.into(directory, bySource.values().stream().map(Deque::pop).toList());
			bySource.values().removeIf(Deque::isEmpty);
		}
	}

	@Test
	void testsThatCatchMutantsExist() throws Exception {
		try (URLClassLoader tests = new URLClassLoader(classPath(), ClassLoader.getPlatformClassLoader())) {
			for (Mutant mutant : MutantParser.readAll()) {
				Class<?> type = Class.forName(mutant.caughtBy().className(), false, tests);
				assertThat(TestName.find(type, mutant.caughtBy().methodName())).as(mutant.toString())
					.hasValueSatisfying((method) -> assertThat(method.getAnnotations())
						.anyMatch((annotation) -> TEST_ANNOTATIONS.contains(annotation.annotationType().getName())));
			}
		}
	}

	/** Tests of a package see its classes only if all come from one class loader. */
	private static URL[] classPath() throws IOException {
		List<URL> places = new ArrayList<>();
		for (Path tests : Repository.libraryTests()) {
			places.add(tests.toUri().toURL());
		}
		for (String place : Repository.classPath().split(File.pathSeparator)) {
			places.add(Path.of(place).toUri().toURL());
		}
		return places.toArray(URL[]::new);
	}

	@Test
	void listHasAtLeastFiftyMutantsWithNamesOfTheirOwn() throws IOException {
		List<Mutant> mutants = MutantParser.readAll();
		assertThat(mutants).extracting(Mutant::id).doesNotHaveDuplicates().hasSizeGreaterThanOrEqualTo(50);
	}

	@Test
	void mutantWhenAppliedReplacesItsText() {
		Mutant mutant = MutantParser.parse(TEXT).get(0);
		assertThat(mutant.applyTo("local next = token + 1\n")).isEqualTo("local next = token\n");
		assertThat(mutant.bugs()).containsExactly(1, 54);
		assertThat(mutant.caughtBy()).hasToString("engine.SomeTests#some");
	}

	@Test
	void mutantWhenItsTextIsGoneIsToBeRepaired() {
		Mutant mutant = MutantParser.parse(TEXT).get(0);
		assertThatIllegalStateException().isThrownBy(() -> mutant.applyTo("token + 2"))
			.withMessageContainingAll("no-token", "resources/some.lua", "not at all");
	}

	@Test
	void mutantWhenItsTextIsThereTwiceIsToBeRepaired() {
		Mutant mutant = MutantParser.parse(TEXT).get(0);
		assertThatIllegalStateException().isThrownBy(() -> mutant.applyTo("token + 1, token + 1"))
			.withMessageContaining("more than once");
	}

	@Test
	void mutantWhenSomethingIsMissingOrUnknownIsRefused() {
		assertThatIllegalArgumentException().isThrownBy(() -> MutantParser.parse(TEXT.replace("story", "history")))
			.withMessageContaining("story");
		assertThatIllegalArgumentException().isThrownBy(() -> MutantParser.parse(TEXT.replace("bugs", "bogus")))
			.withMessageContaining("bogus");
	}

}

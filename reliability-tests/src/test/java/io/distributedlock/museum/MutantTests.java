package io.distributedlock.museum;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.annotation.Testable;

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

	@TestFactory
	Stream<DynamicTest> mutantAppliesAndCompiles(@TempDir Path directory) throws IOException {
		return MutantParser.readAll()
			.stream()
			.map((mutant) -> DynamicTest.dynamicTest(mutant.id(),
					() -> Mutation.into(java.nio.file.Files.createDirectory(directory.resolve(mutant.id())), mutant)));
	}

	@Test
	void testsThatCatchMutantsExist() throws Exception {
		URL[] places = { Repository.libraryTests().toUri().toURL() };
		try (URLClassLoader tests = new URLClassLoader(places, getClass().getClassLoader())) {
			for (Mutant mutant : MutantParser.readAll()) {
				Class<?> type = Class.forName(mutant.caughtBy().className(), false, tests);
				assertThat(TestName.find(type, mutant.caughtBy().methodName())).as(mutant.toString())
					.hasValueSatisfying(
							(method) -> assertThat(AnnotationSupport.isAnnotated(method, Testable.class)).isTrue());
			}
		}
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

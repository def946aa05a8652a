package io.distributedlock.museum;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The page {@code tests/reliability/MUSEUM.md} has the same mutants as the files of the
 * museum.
 */
class MuseumPageTests {

	private static final Pattern BUG = Pattern.compile("\\| (\\d+) \\| .* \\| ([^|]+) \\| ([^|]+) \\|");

	private static final Pattern MUTANT = Pattern.compile("`([a-z0-9-]+)`");

	private static final int BUGS = 60;

	private static List<Mutant> mutants;

	private static List<String> page;

	@BeforeAll
	static void read() throws IOException {
		mutants = MutantParser.readAll();
		page = Files.readAllLines(Repository.page());
	}

	@Test
	void bugsWhenInTheTableAreAllThereWithTheirMutants() {
		Map<Integer, List<String>> expected = new TreeMap<>();
		IntStream.rangeClosed(1, BUGS).forEach((bug) -> expected.put(bug, new ArrayList<>()));
		mutants.forEach((mutant) -> mutant.bugs().forEach((bug) -> expected.get(bug).add(mutant.id())));
		Map<Integer, List<String>> told = new TreeMap<>();
		page.stream().map(BUG::matcher).filter((row) -> row.matches()).forEach((row) -> {
			List<String> named = MUTANT.matcher(row.group(3)).results().map((match) -> match.group(1)).toList();
			assertThat(told.put(Integer.valueOf(row.group(1)), named)).as("second row of bug " + row.group(1)).isNull();
		});
		assertThat(told).isEqualTo(expected);
	}

	@Test
	void everyBugHasAMutant() {
		List<Integer> mutated = mutants.stream().flatMap((mutant) -> mutant.bugs().stream()).distinct().toList();
		assertThat(mutated).containsExactlyInAnyOrderElementsOf(IntStream.rangeClosed(1, BUGS).boxed().toList());
	}

	@Test
	void mutantsWhenInTheTableAreAllThereWithTheirTests() {
		List<String> expected = mutants.stream()
			.map((mutant) -> "| `%s` | %s | `%s` |".formatted(mutant.id(), mutant.story(), mutant.caughtBy()))
			.toList();
		assertThat(page.stream().filter((line) -> line.startsWith("| `"))).containsExactlyElementsOf(expected);
	}

}

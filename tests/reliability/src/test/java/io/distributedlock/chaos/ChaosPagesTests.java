package io.distributedlock.chaos;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The pages of the last long runs, {@code tests/reliability/chaos}, are of the scripts as
 * they are now and report no violation, and {@code docs/reliability.md} has their
 * figures. After a change of a script the long runs have to be repeated, but those on
 * PostgreSQL, which runs no scripts.
 */
class ChaosPagesTests {

	private static final Path PAGES = Path.of("chaos");

	private static final String REMEDY = "the page of %s: run the long chaos again (see CONTRIBUTING.md), put its "
			+ "report into tests/reliability/chaos, and its figures into docs/reliability.md";

	private static final Pattern DIGEST = Pattern.compile("(?m)^SHA-256 of the scripts: `([0-9a-f]+)`\\.$");

	private static final Pattern RUN = Pattern.compile("(?m)^chaos \\{.*}$");

	/** The sum above the runs of a page. */
	private static final Pattern SUM = Pattern.compile("\\*\\*([\\d,]+) acquisitions, ([\\d,]+) faults, "
			+ "([\\d,]+) losses told, no silent loss, no violation\\.\\*\\*");

	/** A row of the table: link to the page, then the figures. */
	private static final Pattern ROW = Pattern
		.compile("(?m)^\\| \\[[^]]+]\\(\\.\\./tests/reliability/chaos/([a-z0-9-]+)\\.md\\) \\| ([\\d, |]+) \\|$");

	static Stream<TopologyKind> withScripts() {
		return Stream.of(TopologyKind.values()).filter((topology) -> !topology.isPostgres());
	}

	@Test
	void pagesAreThoseOfTheTopologies() throws IOException {
		try (Stream<Path> pages = Files.list(PAGES)) {
			assertThat(pages.map((page) -> page.getFileName().toString())).hasSize(8)
				.containsExactlyInAnyOrderElementsOf(
						Stream.of(TopologyKind.values()).map((kind) -> kind.label() + ".md").toList());
		}
	}

	@ParameterizedTest
	@MethodSource("withScripts")
	void runWhenReportedIsOfTheScriptsAsTheyAre(TopologyKind topology) throws IOException {
		assertThat(DIGEST.matcher(page(topology)).results().map((line) -> line.group(1))).as(REMEDY, topology.label())
			.hasSameSizeAs(runs(topology))
			.containsOnly(ScriptDigest.ofAll());
	}

	@Test
	void comparisonWhenReportedIsOfTheScriptsAsTheyAre() throws IOException {
		assertThat(Files.readString(Path.of("../../benchmarks/RESULTS.md")))
			.as("run the comparison again: docs/performance.md says how")
			.contains("SHA-256 of the scripts: `%s`.".formatted(ScriptDigest.ofAll()));
	}

	@ParameterizedTest
	@EnumSource
	void runWhenReportedHasNoViolationAndNoSilentLoss(TopologyKind topology) throws IOException {
		assertThat(runs(topology)).as(REMEDY, topology.label())
			.hasSizeGreaterThanOrEqualTo(leastRuns(topology))
			.allMatch((run) -> run.contains("{\"topology\":\"%s\",".formatted(topology.label())))
			.allMatch((run) -> figure(run, "violations") == 0 && figure(run, "silentLosses") == 0);
	}

	@ParameterizedTest
	@EnumSource
	void sumOnAPageIsThatOfItsRuns(TopologyKind topology) throws IOException {
		Matcher sum = SUM.matcher(page(topology).replaceAll("\\s+", " "));
		assertThat(sum.find()).as(REMEDY, topology.label()).isTrue();
		List<String> runs = runs(topology);
		assertThat(List.of(number(sum.group(1)), number(sum.group(2)), number(sum.group(3))))
			.as(REMEDY, topology.label())
			.containsExactly(sum(runs, "acquisitions"), sum(runs, "faults"), sum(runs, "lossesTold"));
	}

	@Test
	void tableOfTheLastRunsHasTheFiguresOfThePages() throws IOException {
		Map<String, String> told = ROW.matcher(Files.readString(Path.of("../../docs/reliability.md")))
			.results()
			.collect(Collectors.toMap((row) -> row.group(1), (row) -> row.group(2)));
		Map<String, String> expected = new TreeMap<>();
		for (TopologyKind topology : TopologyKind.values()) {
			expected.put(topology.label(), row(topology));
		}
		assertThat(told).as(REMEDY, "each topology").isEqualTo(expected);
	}

	/** Return the figures of a topology as the table has them. */
	private static String row(TopologyKind topology) throws IOException {
		List<String> runs = runs(topology);
		long forgotten = Pattern.compile("(?m)^\\| two believers because [^|]+ \\| (\\d+) \\|$")
			.matcher(page(topology))
			.results()
			.mapToLong((row) -> Long.parseLong(row.group(1)))
			.sum();
		return Stream
			.of(sum(runs, "acquisitions"), sum(runs, "faults"), sum(runs, "lossesTold"), sum(runs, "silentLosses"),
					forgotten, sum(runs, "violations"))
			.map((figure) -> String.format(Locale.ROOT, "%,d", figure))
			.collect(Collectors.joining(" | "));
	}

	/** A standalone server has one more, with clocks that are set. */
	private static int leastRuns(TopologyKind topology) {
		return (topology == TopologyKind.STANDALONE) ? 2 : 1;
	}

	private static String page(TopologyKind topology) throws IOException {
		return Files.readString(PAGES.resolve(topology.label() + ".md"));
	}

	/** Return the lines of JSON on the page of a topology. */
	private static List<String> runs(TopologyKind topology) throws IOException {
		return RUN.matcher(page(topology)).results().map((run) -> run.group()).toList();
	}

	private static long sum(List<String> runs, String name) {
		return runs.stream().mapToLong((run) -> figure(run, name)).sum();
	}

	private static long figure(String run, String name) {
		Matcher figure = Pattern.compile("\"" + name + "\":(\\d+)[,}]").matcher(run);
		if (!figure.find()) {
			throw new IllegalStateException("There is no '%s' in: %s".formatted(name, run));
		}
		return Long.parseLong(figure.group(1));
	}

	private static long number(String text) {
		return Long.parseLong(text.replace(",", ""));
	}

}

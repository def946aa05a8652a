package io.distributedlock.chaos;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A run for {@code -Dchaos.duration} on the topology {@code -Dchaos.topology}, with a
 * report. On a standalone server a run with clocks comes before, which takes a tenth of
 * that. Only in the profile {@code chaos}.
 */
@Tag("chaos")
class LongChaosIntegrationTests {

	private static long acquisitions;

	private static int faults;

	@AfterAll
	static void tellTotal() {
		System.out.println("chaos in all: %d acquisitions, %d faults".formatted(acquisitions, faults));
	}

	static List<TopologyKind> topologies() {
		return TopologyKind.named(System.getProperty("chaos.topology", TopologyKind.STANDALONE.label()));
	}

	@ParameterizedTest
	@MethodSource("topologies")
	void locksKeepTheirPromisesWhileFaultsStrike(TopologyKind topology, @TempDir Path clocks, @TempDir Path directory)
			throws Exception {
		ChaosSettings settings = ChaosSettings.fromProperties(Duration.ofMinutes(30)).on(topology);
		StringBuilder page = new StringBuilder();
		boolean clean = true;
		if (topology == TopologyKind.STANDALONE) {
			ChaosSettings withClocks = settings.withClocks(settings.duration().dividedBy(10));
			clean = report(withClocks, clocks, "With clocks that are set", page);
		}
		clean &= report(settings, directory, "Chaos run: " + topology.label(), page);
		Files.writeString(Path.of(System.getProperty("chaos.report", defaultReport(topology))), page);
		assertThat(clean).as(page.toString()).isTrue();
	}

	private static boolean report(ChaosSettings settings, Path directory, String title, StringBuilder page)
			throws Exception {
		ChaosReport report = new ChaosRun(settings, directory).run();
		page.insert(0, report.markdown(title) + "\n");
		System.out.println(report);
		System.out.println(report.json());
		acquisitions += report.checked().acquisitions();
		faults += report.tally().total();
		return report.isClean();
	}

	private static String defaultReport(TopologyKind topology) {
		return (topology == TopologyKind.STANDALONE) ? "target/chaos-report.md"
				: "target/chaos-report-" + topology.label() + ".md";
	}

}

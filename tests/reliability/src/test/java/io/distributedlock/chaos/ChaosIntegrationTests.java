package io.distributedlock.chaos;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

import io.distributedlock.history.RuleName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Short runs, two at a time. While they work, the servers of the next start and the
 * records of the last are checked. The long ones are {@link LongChaosIntegrationTests}.
 */
@Tag("alone")
@Isolated("Uses up the processors, beside tests that time what they do.")
class ChaosIntegrationTests {

	/** The same faults in every build; the long runs have others. */
	private static final long SEED = 1;

	/** Fewer than in long runs: to start them takes most of the processor time. */
	private static final int PROCESSES = 2;

	/** Threads for a run that begins, two that work and one that ends. */
	private static final ExecutorService RUNS = Executors.newFixedThreadPool(4);

	private static final Map<TopologyKind, Future<ChaosReport>> ON = new EnumMap<>(TopologyKind.class);

	private static Future<ChaosReport> withClocks;

	private static Future<ChaosReport> withForcedFaults;

	@BeforeAll
	static void begin(@TempDir Path directory) throws Exception {
		for (TopologyKind topology : TopologyKind.values()) {
			ON.put(topology, begin(ChaosSettings.fromProperties(duration(topology), SEED, PROCESSES).on(topology),
					directory, List.of()));
		}
		withClocks = begin(
				ChaosSettings.fromProperties(Duration.ZERO, SEED, PROCESSES).withClocks(Duration.ofSeconds(10)),
				directory, List.of());
		withForcedFaults = begin(
				new ChaosSettings(TopologyKind.STANDALONE, 1, Duration.ZERO, 2, 3, 2, ChaosSettings.SHORT_PAUSE, false),
				directory, List.of(new Nemesis("unseen", CommonFaults::standStill),
						new Nemesis("unseen", CommonFaults::giveAway)));
	}

	/**
	 * Nearly all faults of a standalone server strike behind a proxy that shards, too.
	 * Those of PostgreSQL take longer.
	 */
	private static Duration duration(TopologyKind topology) {
		return Duration.ofSeconds(switch (topology) {
			case STANDALONE -> 14;
			case SHARDED -> 8;
			case POSTGRESQL, POSTGRESQL_DURABLE -> 20;
			default -> 10;
		});
	}

	private static Future<ChaosReport> begin(ChaosSettings settings, Path directory, List<Nemesis> faults)
			throws Exception {
		Path own = Files.createTempDirectory(directory, settings.topology().label());
		return RUNS.submit(() -> new ChaosRun(settings, own, faults).run());
	}

	@AfterAll
	static void end() throws InterruptedException {
		RUNS.shutdownNow();
		assertThat(RUNS.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
	}

	@ParameterizedTest
	@EnumSource(TopologyKind.class)
	void locksKeepTheirPromisesWhileFaultsStrike(TopologyKind topology) throws Exception {
		ChaosReport report = ON.get(topology).get();
		System.out.println(report);
		assertThat(report.checked().acquisitions()).as("acquisitions").isGreaterThan(200);
		assertThat(report.tally().total()).as("faults").isGreaterThan(5);
		assertThat(report.isClean()).as(report.toString()).isTrue();
	}

	@Test
	void locksKeepTheirPromisesWhileClocksAreSet() throws Exception {
		ChaosReport report = withClocks.get();
		System.out.println(report);
		assertThat(report.tally().faults()).as("faults").isNotEmpty();
		assertThat(report.isClean()).as(report.toString()).isTrue();
	}

	@Test
	void runSeesWhatStandsStillUnasked() throws Exception {
		ChaosReport report = withForcedFaults.get();
		assertThat(report.tally().unasked()).as(report.toString())
			.containsKeys("process-stood-still", "server-stood-still");
	}

	@Test
	void runSeesLocksThatAreGivenAway() throws Exception {
		ChaosReport report = withForcedFaults.get();
		assertThat(report.checked().counts()).as(report.toString()).containsKey(RuleName.C1_EXCLUSION);
	}

}

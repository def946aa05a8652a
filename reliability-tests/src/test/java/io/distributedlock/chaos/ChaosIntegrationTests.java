package io.distributedlock.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.distributedlock.history.RuleName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Short runs. The long ones are {@link LongChaosIntegrationTests}. */
@Tag("alone")
class ChaosIntegrationTests {

	@ParameterizedTest
	@EnumSource(TopologyKind.class)
	void locksKeepTheirPromisesWhileFaultsStrike(TopologyKind topology, @TempDir Path directory) throws Exception {
		Duration duration = Duration.ofSeconds((topology == TopologyKind.STANDALONE) ? 40 : 20);
		ChaosReport report = new ChaosRun(ChaosSettings.fromProperties(duration).on(topology), directory).run();
		System.out.println(report);
		assertThat(report.checked().acquisitions()).as("acquisitions").isGreaterThan(200);
		assertThat(report.tally().total()).as("faults").isGreaterThan(5);
		assertThat(report.isClean()).as(report.toString()).isTrue();
	}

	@Test
	void locksKeepTheirPromisesWhileClocksAreSet(@TempDir Path directory) throws Exception {
		ChaosSettings settings = ChaosSettings.fromProperties(Duration.ZERO).withClocks(Duration.ofSeconds(20));
		ChaosReport report = new ChaosRun(settings, directory).run();
		System.out.println(report);
		assertThat(report.tally().faults()).as("faults").isNotEmpty();
		assertThat(report.isClean()).as(report.toString()).isTrue();
	}

	@Test
	void runSeesLocksThatAreGivenAway(@TempDir Path directory) throws Exception {
		Nemesis thief = new Nemesis("unseen", CommonFaults::stealLocks);
		ChaosSettings settings = new ChaosSettings(TopologyKind.STANDALONE, 1, Duration.ofSeconds(8), 2, 3, 2, false);
		ChaosReport report = new ChaosRun(settings, directory, List.of(thief)).run();
		assertThat(report.checked().counts()).as(report.toString()).containsKey(RuleName.C1_EXCLUSION);
	}

}

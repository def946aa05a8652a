package io.distributedlock.chaos;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.distributedlock.history.RuleName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/** A short run. The long one is {@link LongChaosIntegrationTests}. */
class ChaosIntegrationTests {

	@Test
	void locksKeepTheirPromisesWhileFaultsStrike(@TempDir Path directory) throws Exception {
		ChaosReport report = new ChaosRun(ChaosSettings.fromProperties(Duration.ofSeconds(100)), directory).run();
		System.out.println(report);
		assertThat(report.checked().acquisitions()).as("acquisitions").isGreaterThan(1000);
		assertThat(report.tally().total()).as("faults").isGreaterThan(10);
		assertThat(report.isClean()).as(report.toString()).isTrue();
	}

	@Test
	void runSeesLocksThatAreGivenAway(@TempDir Path directory) throws Exception {
		Nemesis thief = new Nemesis("unseen", ServerFaults::stealLocks);
		ChaosSettings settings = new ChaosSettings(1, Duration.ofSeconds(8), 2, 3, 1);
		ChaosReport report = new ChaosRun(settings, directory, List.of(thief)).run();
		assertThat(report.checked().counts()).as(report.toString()).containsKey(RuleName.C1_EXCLUSION);
	}

}

package io.distributedlock.chaos;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A run as long as {@code -Dchaos.duration} says, with a report. Only in the profile
 * {@code chaos}.
 */
@Tag("chaos")
class LongChaosIntegrationTests {

	@Test
	void locksKeepTheirPromisesWhileFaultsStrike(@TempDir Path directory) throws Exception {
		ChaosReport report = new ChaosRun(ChaosSettings.fromProperties(Duration.ofMinutes(30)), directory).run();
		Path file = Path.of(System.getProperty("chaos.report", "target/chaos-report.md"));
		Files.writeString(file, report.markdown());
		System.out.println(report);
		System.out.println(report.json());
		assertThat(report.isClean()).as(report.toString()).isTrue();
	}

}

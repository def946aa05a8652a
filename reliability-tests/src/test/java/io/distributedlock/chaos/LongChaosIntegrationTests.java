package io.distributedlock.chaos;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A run as long as {@code -Dchaos.duration} says, after one with clocks that takes a
 * tenth of that, with a report. Only in the profile {@code chaos}.
 */
@Tag("chaos")
class LongChaosIntegrationTests {

	@Test
	void locksKeepTheirPromisesWhileFaultsStrike(@TempDir Path clocks, @TempDir Path directory) throws Exception {
		ChaosSettings settings = ChaosSettings.fromProperties(Duration.ofMinutes(30));
		ChaosReport withClocks = new ChaosRun(settings.withClocks(settings.duration().dividedBy(10)), clocks).run();
		ChaosReport report = new ChaosRun(settings, directory).run();
		Path file = Path.of(System.getProperty("chaos.report", "target/chaos-report.md"));
		Files.writeString(file, report.markdown("Chaos run") + "\n" + withClocks.markdown("With clocks that are set"));
		System.out.println(withClocks);
		System.out.println(report);
		System.out.println(report.json());
		assertThat(withClocks.isClean()).as(withClocks.toString()).isTrue();
		assertThat(report.isClean()).as(report.toString()).isTrue();
	}

}

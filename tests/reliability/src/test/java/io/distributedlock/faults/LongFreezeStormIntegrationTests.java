package io.distributedlock.faults;

import java.time.Duration;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Servers that are stopped for {@code -Dstorm.freezes} seconds, which take 70 minutes, in
 * each mode and with each budget. Prints the figures. Only in the profile {@code chaos}.
 */
@Tag("chaos")
class LongFreezeStormIntegrationTests {

	/** How long after the server's first answer the last thread may have a lock. */
	private static final Duration MOST = Duration.ofSeconds(2);

	@ParameterizedTest
	@MethodSource
	void eachThreadHasALockSoonAfterTheServerGoesOn(Driver driver, LockMode mode, Duration budget, Duration freeze)
			throws Exception {
		try (FreezeStorm storm = new FreezeStorm(driver, mode, budget)) {
			Duration served = storm.over(Standstill.STOPPED, freeze);
			System.out.printf("%s, %s, budget %d ms, stopped for %d s: all served in %d ms%n", driver, mode,
					budget.toMillis(), freeze.toSeconds(), served.toMillis());
			assertThat(served).isLessThan(MOST);
		}
	}

	static Stream<Arguments> eachThreadHasALockSoonAfterTheServerGoesOn() {
		return Stream.of(System.getProperty("storm.freezes", "1,3,10,20,60").split(","))
			.map((seconds) -> Duration.ofSeconds(Long.parseLong(seconds)))
			.flatMap((freeze) -> Stream.of(Driver.values())
				.flatMap((driver) -> Stream.of(LockMode.values())
					.flatMap((mode) -> Stream.of(0, 50, 500, 5_000)
						.map((budget) -> Arguments.of(driver, mode, Duration.ofMillis(budget), freeze)))));
	}

}

package io.distributedlock.faults;

import java.time.Duration;

import io.distributedlock.LockMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Servers that were stopped for some seconds while 100 threads asked for locks without a
 * pause. What these had asked for and given up by then came before all that they asked
 * for later, for up to 26 s.
 */
@Tag("alone")
class FreezeStormIntegrationTests {

	@ParameterizedTest
	@CsvSource({ "LETTUCE, EXCLUSIVE, 50, 5", "JEDIS, EXCLUSIVE, 50, 2", "LETTUCE, EXCLUSIVE, 0, 2",
			"JEDIS, FAIR, 500, 2", "LETTUCE, READ, 50, 4", "JEDIS, WRITE, 5000, 2", "LETTUCE, SEMAPHORE, 500, 2" })
	void eachThreadHasALockSoonAfterTheServerGoesOn(Driver driver, LockMode mode, long budget, long freeze)
			throws Exception {
		try (FreezeStorm storm = new FreezeStorm(driver, mode, Duration.ofMillis(budget))) {
			assertThat(storm.over(Duration.ofSeconds(freeze))).isLessThan(FreezeStorm.MOST);
		}
	}

}

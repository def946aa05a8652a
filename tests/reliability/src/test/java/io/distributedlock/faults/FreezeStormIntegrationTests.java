package io.distributedlock.faults;

import java.time.Duration;

import io.distributedlock.LockMode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Servers that were stopped for some seconds while 100 threads asked for locks without a
 * pause. The requests that these had given up by then came before all their later
 * requests, for up to 26 s.
 */
@Tag("alone")
@Isolated("Times what uses up the processors.")
class FreezeStormIntegrationTests {

	/** Far from 26 s, on a busy machine. The long run has the bound that is promised. */
	private static final Duration MOST = Duration.ofSeconds(5);

	@ParameterizedTest
	@CsvSource({ "LETTUCE, EXCLUSIVE, 50, STOPPED, 5", "JEDIS, EXCLUSIVE, 50, STOPPED, 2",
			"LETTUCE, EXCLUSIVE, 0, CLIENTS_PAUSED, 2", "JEDIS, FAIR, 500, CLIENTS_PAUSED, 2",
			"LETTUCE, READ, 50, STOPPED, 4", "JEDIS, EXCLUSIVE, 5000, CUT_OFF, 2",
			"LETTUCE, SEMAPHORE, 500, CUT_OFF, 2" })
	void eachThreadHasALockSoonAfterTheServerGoesOn(Driver driver, LockMode mode, long budget, Standstill standstill,
			long seconds) throws Exception {
		try (FreezeStorm storm = new FreezeStorm(driver, mode, Duration.ofMillis(budget))) {
			assertThat(storm.over(standstill, Duration.ofSeconds(seconds))).isLessThan(MOST);
		}
	}

}

package io.distributedlock.faults;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.distributedlock.LockMode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

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

	/** Two storms at a time: for most of it, a storm waits for the server to go on. */
	private static final ExecutorService RUNS = Executors.newFixedThreadPool(2);

	private static final Map<Storm, Future<Duration>> BEGUN = new HashMap<>();

	@BeforeAll
	static void begin() {
		storms().forEach((storm) -> BEGUN.put(storm, RUNS.submit(storm::pass)));
	}

	@AfterAll
	static void end() throws InterruptedException {
		RUNS.shutdownNow();
		assertThat(RUNS.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
	}

	@ParameterizedTest
	@MethodSource("storms")
	void eachThreadHasALockSoonAfterTheServerGoesOn(Storm storm) throws Exception {
		assertThat(BEGUN.get(storm).get()).isLessThan(MOST);
	}

	static Stream<Storm> storms() {
		return Stream.of(new Storm(Driver.LETTUCE, LockMode.EXCLUSIVE, 50, Standstill.STOPPED, 5),
				new Storm(Driver.JEDIS, LockMode.EXCLUSIVE, 50, Standstill.STOPPED, 2),
				new Storm(Driver.LETTUCE, LockMode.EXCLUSIVE, 0, Standstill.CLIENTS_PAUSED, 2),
				new Storm(Driver.JEDIS, LockMode.FAIR, 500, Standstill.CLIENTS_PAUSED, 2),
				new Storm(Driver.LETTUCE, LockMode.READ, 50, Standstill.STOPPED, 4),
				new Storm(Driver.JEDIS, LockMode.EXCLUSIVE, 5000, Standstill.CUT_OFF, 2),
				new Storm(Driver.LETTUCE, LockMode.SEMAPHORE, 500, Standstill.CUT_OFF, 2));
	}

	/**
	 * A storm on a server of its own.
	 *
	 * @param budget the budget of each attempt, in milliseconds
	 * @param seconds the time in which nothing is answered
	 */
	record Storm(Driver driver, LockMode mode, long budget, Standstill standstill, long seconds) {

		/** Return how long after the first answer the last thread had a lock. */
		Duration pass() throws Exception {
			try (FreezeStorm storm = new FreezeStorm(this.driver, this.mode, Duration.ofMillis(this.budget))) {
				return storm.over(this.standstill, Duration.ofSeconds(this.seconds));
			}
		}

	}

}

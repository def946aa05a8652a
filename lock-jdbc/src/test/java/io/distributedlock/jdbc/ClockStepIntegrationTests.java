package io.distributedlock.jdbc;

import java.time.Duration;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.JdbcTemplate;

import static io.distributedlock.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Steps of the server's clock. The clock of this machine cannot be set for one server, so
 * a function in another schema takes the place of {@code clock_timestamp()} for the user.
 * The time-outs of the server count by the real clock.
 */
class ClockStepIntegrationTests {

	private static final int SOME = 5;

	private static final Duration TTL = Duration.ofSeconds(1);

	private static final PostgresServer SERVER = FaultyPostgres.SERVER;

	private static final JdbcTemplate ADMINISTRATOR = FaultyPostgres.administrator(SERVER);

	@BeforeAll
	static void replaceTheClock() {
		ADMINISTRATOR.execute("CREATE SCHEMA stepped; GRANT USAGE ON SCHEMA stepped TO " + FaultyPostgres.USER);
		ADMINISTRATOR.execute("CREATE TABLE stepped.step (by interval); INSERT INTO stepped.step VALUES ('0')");
		ADMINISTRATOR.execute("CREATE FUNCTION stepped.clock_timestamp() RETURNS timestamptz LANGUAGE sql VOLATILE "
				+ "SECURITY DEFINER AS 'SELECT pg_catalog.clock_timestamp() + by FROM stepped.step'");
		ADMINISTRATOR.execute("ALTER ROLE " + FaultyPostgres.USER + " SET search_path = public, stepped, pg_catalog");
	}

	@AfterAll
	static void restoreTheClock() {
		ADMINISTRATOR.execute("ALTER ROLE " + FaultyPostgres.USER + " RESET ALL");
		ADMINISTRATOR.execute("DROP SCHEMA stepped CASCADE");
	}

	@AfterEach
	void stepBack() {
		step("0");
	}

	private static void step(String by) {
		ADMINISTRATOR.update("UPDATE stepped.step SET by = ?::interval", by);
	}

	@Test
	void counterWhenTheClockStepsLosesNoUpdate() throws Exception {
		try (CountingInstances counting = new CountingInstances(FaultyPostgres.direct(SERVER), "clock")) {
			for (String by : new String[] { "1 hour", "0", "-1 hour", "500 ms", "-500 ms" }) {
				counting.awaitCommits(SOME);
				step(by);
			}
			counting.awaitCommits(SOME);
			counting.stopAndVerify();
		}
	}

	@Test
	void lockWhenTheClockIsSetBackIsFreeAfterItsLease() {
		try (HikariDataSource pool = CountingInstances.pool(SERVER.url(), CountingInstances.STORE, 2);
				PostgresLockStore dead = PostgresLockStore.builder(pool).build();
				PostgresLockStore next = PostgresLockStore.builder(pool).build()) {
			step("1 hour");
			assertThat(dead.acquire(command(1)).join()).isInstanceOf(AcquireOutcome.Granted.class);
			step("0");
			assertThat(next.acquire(command(2)).join()).isInstanceOf(AcquireOutcome.Busy.class);
			await().until(() -> next.acquire(command(2)).join() instanceof AcquireOutcome.Granted);
		}
	}

	private static AcquireCommand command(long request) {
		return new AcquireCommand(new LockKey("", "set back"), RequestId.of(request, 0, 1, 0), TTL, Duration.ZERO,
				Duration.ZERO);
	}

}

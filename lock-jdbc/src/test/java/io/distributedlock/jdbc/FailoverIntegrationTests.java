package io.distributedlock.jdbc;

import io.distributedlock.embedded.PostgresServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static io.distributedlock.Patience.await;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * A standby replaces the primary, which has crashed, while instances count under a lock.
 * The address has the hosts of both. Without synchronous replication commits get lost
 * that the primary has confirmed, the last ones, together with the locks under which they
 * ran: what is left is free of lost updates.
 */
class FailoverIntegrationTests {

	private static final int SOME = 5;

	private PostgresServer primary;

	private PostgresServer standby;

	@BeforeEach
	void start() {
		this.primary = FaultyPostgres.prepared(PostgresServer.start());
		this.standby = this.primary.startStandby();
	}

	@AfterEach
	void stop() {
		this.primary.close();
		this.standby.close();
	}

	private CountingInstances counting(String key) {
		String url = "jdbc:postgresql://127.0.0.1:%d,127.0.0.1:%d/postgres?targetServerType=primary"
			.formatted(this.primary.port(), this.standby.port());
		PGSimpleDataSource listening = FaultyPostgres.source(this.primary, CountingInstances.LISTENING);
		listening.setUrl(url);
		listening.setUser(FaultyPostgres.USER);
		return new CountingInstances(new CountingInstances.Addresses(url, listening, url), key);
	}

	private void failOver() {
		this.primary.crash();
		assertThat(FaultyPostgres.administrator(this.standby).queryForObject("SELECT pg_promote()", Boolean.class))
			.isTrue();
	}

	@Test
	void counterWhenAnAsynchronousStandbyTakesOverIsConsistent() throws Exception {
		try (CountingInstances counting = counting("asynchronous")) {
			counting.awaitCommits(SOME);
			failOver();
			long started = counting.started();
			counting.awaitCommits(SOME);
			counting.stopAndVerify(counting.committedSince(started));
		}
	}

	@Test
	void counterWhenASynchronousStandbyTakesOverLosesNothing() throws Exception {
		JdbcTemplate administrator = FaultyPostgres.administrator(this.primary);
		administrator.execute("ALTER SYSTEM SET synchronous_standby_names = '*'");
		administrator.execute("SELECT pg_reload_conf()");
		await().until(() -> administrator
			.queryForObject("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", Integer.class) == 1);
		try (CountingInstances counting = counting("synchronous")) {
			counting.awaitCommits(SOME);
			failOver();
			counting.awaitCommits(SOME);
			counting.stopAndVerify();
		}
	}

}

package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Commits that wait, and those that do not. This server has a synchronous replica that
 * never comes, so a synchronous commit has no end.
 */
class PostgresDurabilityIntegrationTests {

	private static PostgresServer server;

	@BeforeAll
	static void start() {
		server = PostgresServer.start("synchronous_standby_names=absent");
		PGSimpleDataSource administrator = server.dataSource();
		administrator.setOptions("-c synchronous_commit=off");
		PostgresSchema.of(PostgresSchema.DEFAULT_TABLE).create(administrator);
	}

	@AfterAll
	static void stop() {
		server.close();
	}

	private static AcquireCommand command(String name) {
		return new AcquireCommand(new LockKey("", name), RequestId.of(1, 0, 1, 0), Duration.ofSeconds(60),
				Duration.ZERO, Duration.ZERO);
	}

	@Test
	void commandsDoNotWaitForTheDiskOrReplicas() {
		try (PostgresLockStore store = PostgresLockStore.builder(server.dataSource())
			.commandTimeout(Duration.ofSeconds(60))
			.build()) {
			assertThat(store.acquire(command("asynchronous")).join()).isInstanceOf(AcquireOutcome.Granted.class);
		}
	}

	@Test
	void durableStoreWaitsAsTheServerIsSetUp() throws Exception {
		try (PostgresLockStore store = PostgresLockStore.builder(server.dataSource())
			.commandTimeout(Duration.ofMillis(500))
			.durable(true)
			.build()) {
			assertThat(store.acquire(command("durable"))
				.handle((outcome, failure) -> (failure != null) ? "waited" : outcome.toString())
				.get(60, TimeUnit.SECONDS)).isEqualTo("waited");
		}
	}

}

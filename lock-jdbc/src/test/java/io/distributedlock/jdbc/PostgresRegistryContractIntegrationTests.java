package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

import javax.sql.DataSource;

import io.distributedlock.engine.EndedFromOutsideContractTests;
import io.distributedlock.engine.ExtendContractTests;
import io.distributedlock.engine.FairLockContractTests;
import io.distributedlock.engine.LeakContractTests;
import io.distributedlock.engine.LeaseContractTests;
import io.distributedlock.engine.LeaseHandleContractTests;
import io.distributedlock.engine.LeaseLockContractTests;
import io.distributedlock.engine.LockDelayContractTests;
import io.distributedlock.engine.LockRegistryContractTests;
import io.distributedlock.engine.ModeLeakContractTests;
import io.distributedlock.engine.ReadWriteLockContractTests;
import io.distributedlock.engine.SemaphoreContractTests;
import io.distributedlock.engine.SeveralKeysContractTests;
import io.distributedlock.engine.SeveralPermitsContractTests;
import io.distributedlock.engine.SharedLocks;
import io.distributedlock.reactive.ReactiveBodyContractTests;
import io.distributedlock.reactive.ReactiveLeakContractTests;
import io.distributedlock.reactive.ReactiveLockContractTests;
import io.distributedlock.reactive.ReactiveModeContractTests;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Nested;
import org.postgresql.ds.PGSimpleDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The engine's contracts on a real PostgreSQL. */
class PostgresRegistryContractIntegrationTests {

	@Nested
	class EndedFromOutside extends EndedFromOutsideContractTests {

		EndedFromOutside() {
			super(new SharedTable("locks_of_ended_from_outside"));
		}

	}

	@Nested
	class Extends extends ExtendContractTests {

		Extends() {
			super(new SharedTable("locks_of_extends"));
		}

	}

	@Nested
	class Fair extends FairLockContractTests {

		Fair() {
			super(new SharedTable("locks_of_fair"));
		}

	}

	@Nested
	class Leaks extends LeakContractTests {

		Leaks() {
			super(new SharedTable("locks_of_leaks"));
		}

	}

	@Nested
	class Leases extends LeaseContractTests {

		Leases() {
			super(new SharedTable("locks_of_leases"));
		}

	}

	@Nested
	class Handles extends LeaseHandleContractTests {

		Handles() {
			super(new SharedTable("locks_of_handles"));
		}

	}

	@Nested
	class LeaseLocks extends LeaseLockContractTests {

		LeaseLocks() {
			super(new SharedTable("locks_of_lease_locks"));
		}

	}

	@Nested
	class Delays extends LockDelayContractTests {

		Delays() {
			super(new SharedTable("locks_of_delays"));
		}

	}

	@Nested
	class Registry extends LockRegistryContractTests {

		Registry() {
			super(new SharedTable("locks_of_registry"));
		}

	}

	@Nested
	class ModeLeaks extends ModeLeakContractTests {

		ModeLeaks() {
			super(new SharedTable("locks_of_mode_leaks"));
		}

	}

	@Nested
	class ReadWriteLocks extends ReadWriteLockContractTests {

		ReadWriteLocks() {
			super(new SharedTable("locks_of_read_write_locks"));
		}

	}

	@Nested
	class Semaphores extends SemaphoreContractTests {

		Semaphores() {
			super(new SharedTable("locks_of_semaphores"));
		}

	}

	@Nested
	class Sets extends SeveralKeysContractTests {

		Sets() {
			super(new SharedTable("locks_of_sets"));
		}

	}

	@Nested
	class SeveralPermits extends SeveralPermitsContractTests {

		SeveralPermits() {
			super(new SharedTable("locks_of_several_permits"));
		}

	}

	@Nested
	class Reactive extends ReactiveLockContractTests {

		Reactive() {
			super(new SharedTable("locks_of_reactive"));
		}

	}

	@Nested
	class ReactiveBodies extends ReactiveBodyContractTests {

		ReactiveBodies() {
			super(new SharedTable("locks_of_reactive_bodies"));
		}

	}

	@Nested
	class ReactiveLeaks extends ReactiveLeakContractTests {

		ReactiveLeaks() {
			super(new SharedTable("locks_of_reactive_leaks"));
		}

	}

	@Nested
	class ReactiveModes extends ReactiveModeContractTests {

		ReactiveModes() {
			super(new SharedTable("locks_of_reactive_modes"));
		}

	}

	/**
	 * Locks in a table of their own that are forgotten after a second, by a user that may
	 * do no more than the documents say.
	 */
	private record SharedTable(String table, DataSource holders) implements SharedLocks {

		SharedTable(String table) {
			this(table, SharedPostgres.holders(table));
		}

		@Override
		public LockStore createStore() {
			PGSimpleDataSource listening = SharedPostgres.SERVER.dataSource();
			listening.setUser(SharedPostgres.HOLDER);
			return PostgresLockStore.builder(this.holders)
				.table(this.table)
				.retention(Duration.ofSeconds(1))
				.commandTimeout(Duration.ofSeconds(10))
				.listenDataSource(listening)
				.build();
		}

		@Override
		public void steal(String key) {
			try (Connection connection = SharedPostgres.pool().getConnection();
					PreparedStatement statement = connection
						.prepareStatement("DELETE FROM " + this.table + " WHERE name = ?")) {
				statement.setString(1, new LockKey("", key).encoded());
				assertThat(statement.executeUpdate()).isEqualTo(1);
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		}

		@Override
		public void awaitForgotten() {
			await().until(this::isEmpty);
		}

		private boolean isEmpty() throws SQLException {
			try (Connection connection = SharedPostgres.pool().getConnection();
					ResultSet rows = connection.createStatement().executeQuery("SELECT FROM " + this.table)) {
				return !rows.next();
			}
		}

	}

}

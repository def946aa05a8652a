package io.distributedlock.chaos;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockInspection;
import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.jdbc.PostgresLockStore;
import io.distributedlock.jdbc.PostgresSchema;
import io.distributedlock.store.LockKey;
import org.postgresql.PGConnection;
import org.postgresql.ds.PGSimpleDataSource;

import org.springframework.jdbc.core.JdbcTemplate;

import static org.awaitility.Awaitility.await;

/** A connection of the run's own to PostgreSQL, past the proxies. */
final class PostgresAdmin implements StoreAdmin {

	private static final String NAME = "admin";

	/** The type of a row, as of the state of a lock in Redis. */
	private static final String ROW = "hash";

	private final PostgresServer server;

	private final HikariDataSource connection = new HikariDataSource();

	private final JdbcTemplate jdbc = new JdbcTemplate(this.connection);

	private final PostgresLockStore store;

	PostgresAdmin(PostgresServer server) {
		this.server = server;
		this.connection.setDataSource(connections());
		this.connection.setMaximumPoolSize(1);
		this.store = PostgresLockStore.builder(this.connection)
			.connections(1)
			.commandTimeout(Duration.ofSeconds(10))
			.build();
		PostgresSchema.of(PostgresSchema.DEFAULT_TABLE).create(this.connection);
	}

	/** Other connections that do not count as those of workers. */
	PGSimpleDataSource connections() {
		PGSimpleDataSource connections = this.server.dataSource();
		connections.setApplicationName(NAME);
		return connections;
	}

	JdbcTemplate jdbc() {
		return this.jdbc;
	}

	/**
	 * End connections of workers, and wait until they are gone.
	 * @param name a pattern of their names
	 */
	void endConnections(String name) {
		this.jdbc.queryForList("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity "
				+ "WHERE backend_type = 'client backend' AND application_name LIKE ?", name);
	}

	/** Kill a process of the server, and wait until the server has recovered. */
	void killItsProcess() {
		try (Connection killed = connections().getConnection(); Connection other = connections().getConnection()) {
			long process = killed.unwrap(PGConnection.class).getBackendPID();
			ProcessHandle.of(process).orElseThrow().destroyForcibly();
			await().until(() -> !other.isValid(0));
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
		awaitAnswer();
	}

	/** Ask on a new connection: one from before may still answer, and end after that. */
	@Override
	public void awaitAnswer() {
		this.connection.getHikariPoolMXBean().softEvictConnections();
		await().ignoreExceptions().until(() -> this.jdbc.queryForObject("SELECT true", Boolean.class));
	}

	@Override
	public List<String> keys() {
		return this.jdbc.queryForList("SELECT name FROM distributed_lock", String.class);
	}

	@Override
	public String type(String name) {
		return row(name).isEmpty() ? GONE : ROW;
	}

	/** An instance deletes a row some time after its life. */
	@Override
	public long life(String name) {
		return row(name).stream().mapToLong((life) -> Math.max(0, life)).sum();
	}

	private List<Long> row(String name) {
		return this.jdbc.queryForList("SELECT (extract(epoch FROM expires - clock_timestamp()) * 1000)::bigint "
				+ "FROM distributed_lock WHERE name = ?", Long.class, name);
	}

	@Override
	public boolean isTaken(String name, String type, Duration shift) {
		LockInspection seen = this.store.inspect(LockKey.ofEncoded(name)).join();
		return seen.isLocked() || seen.waiting() > 0;
	}

	/** The server tells no session about the channels of others. */
	@Override
	public List<String> channels() {
		return List.of();
	}

	@Override
	public int otherClients() {
		return this.jdbc.queryForObject("SELECT count(*) FROM pg_stat_activity "
				+ "WHERE backend_type = 'client backend' AND application_name <> ?", Integer.class, NAME);
	}

	@Override
	public void close() {
		this.store.close();
		this.connection.close();
	}

}

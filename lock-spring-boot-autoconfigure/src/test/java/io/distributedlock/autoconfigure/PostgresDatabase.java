package io.distributedlock.autoconfigure;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.embedded.PostgresServer;

/**
 * A new database of the one server of these tests.
 *
 * @param url the JDBC address; the user {@code postgres} needs no password
 */
public record PostgresDatabase(String url) {

	private static final PostgresServer SERVER = PostgresServer.start();

	private static final AtomicInteger COUNT = new AtomicInteger();

	/** Create an empty database. */
	public static PostgresDatabase create() {
		String name = "db" + COUNT.incrementAndGet();
		new PostgresDatabase(SERVER.url()).execute("CREATE DATABASE " + name);
		return new PostgresDatabase(SERVER.url().replaceFirst("/postgres$", "/" + name));
	}

	/** Connect as the administrator. */
	public Connection connect() {
		var source = SERVER.dataSource();
		source.setUrl(this.url);
		try {
			return source.getConnection();
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Run statements, each by itself. */
	public PostgresDatabase execute(String... statements) {
		try (Connection connection = connect(); Statement statement = connection.createStatement()) {
			for (String sql : statements) {
				statement.execute(sql);
			}
			return this;
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Return the first column of a result. */
	public List<String> rows(String query) {
		try (Connection connection = connect();
				Statement statement = connection.createStatement();
				ResultSet rows = statement.executeQuery(query)) {
			List<String> found = new ArrayList<>();
			while (rows.next()) {
				found.add(rows.getString(1));
			}
			return found;
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** Return the properties of an application that keeps its data and locks there. */
	public String[] properties() {
		return new String[] { "spring.datasource.url=" + this.url, "spring.datasource.username=postgres",
				"distributed-lock.store=postgresql", "distributed-lock.shutdown.grace-period=0" };
	}

}

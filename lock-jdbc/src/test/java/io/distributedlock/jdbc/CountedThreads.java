package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import org.springframework.jdbc.datasource.DelegatingDataSource;

/** The threads that take connections from a source. */
final class CountedThreads {

	final List<Thread> seen = new CopyOnWriteArrayList<>();

	DataSource on(DataSource source) {
		return new DelegatingDataSource(source) {

			@Override
			public Connection getConnection() throws SQLException {
				CountedThreads.this.seen.add(Thread.currentThread());
				return super.getConnection();
			}

		};
	}

}

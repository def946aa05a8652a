package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

import javax.sql.DataSource;

import io.distributedlock.CapturedLog;
import io.distributedlock.jdbc.transaction.SpringTransactionConnection;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;

class SpringTransactionConnectionIntegrationTests {

	private final DataSource dataSource = SharedPostgres.SERVER.dataSource();

	private final SpringTransactionConnection connection = new SpringTransactionConnection(this.dataSource);

	private static TransactionTemplate transaction(DataSource dataSource) {
		return new TransactionTemplate(new DataSourceTransactionManager(dataSource));
	}

	@Test
	void connectionOfTheTransactionIsFound() {
		transaction(this.dataSource).executeWithoutResult((status) -> assertThat(this.connection.current())
			.isSameAs(DataSourceUtils.getConnection(this.dataSource)));
		assertThat(this.connection.current()).as("after the transaction").isNull();
	}

	@Test
	void connectionWhenItsSourceIsWrappedIsFound() {
		LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy(this.dataSource);
		AtomicReference<Object> found = new AtomicReference<>();
		transaction(lazy).executeWithoutResult((status) -> found.set(this.connection.current()));
		assertThat(found).doesNotHaveNullValue();
		assertThat(this.connection.covers(new TransactionAwareDataSourceProxy(lazy))).isTrue();
		assertThat(new SpringTransactionConnection(lazy).covers(this.dataSource)).isTrue();
	}

	/** It was taken from the source behind the wrapper, so it commits each statement. */
	@Test
	void connectionBesideThatOfTheTransactionIsNotTaken() {
		LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy(this.dataSource);
		transaction(lazy).executeWithoutResult((status) -> {
			Connection beside = DataSourceUtils.getConnection(this.dataSource);
			assertThat(this.connection.current()).isNotSameAs(beside).isSameAs(DataSourceUtils.getConnection(lazy));
		});
	}

	@Test
	@ExtendWith(CapturedLog.Extension.class)
	void transactionOfAnotherSourceIsToldOnce(CapturedLog log) {
		DataSource other = SharedPostgres.SERVER.dataSource();
		assertThat(this.connection.covers(other)).isFalse();
		for (int i = 0; i < 2; i++) {
			transaction(other).executeWithoutResult((status) -> assertThat(this.connection.current()).isNull());
		}
		assertThat(log).containsOnlyOnce("no connection to the database that keeps the locks");
	}

	private static TransactionTemplate checked(DataSource dataSource) {
		return new TransactionTemplate(GuardedStock.checked(new DataSourceTransactionManager(dataSource)));
	}

	@Test
	void connectionThatWasNotNeededToReadIsNotOpened() {
		AtomicInteger opened = new AtomicInteger();
		LazyConnectionDataSourceProxy lazy = new LazyConnectionDataSourceProxy(
				new DelegatingDataSource(this.dataSource) {
					@Override
					public Connection getConnection() throws SQLException {
						opened.incrementAndGet();
						return super.getConnection();
					}
				});
		SpringTransactionConnection any = new SpringTransactionConnection((connection) -> {
			try {
				return connection.getMetaData().getURL().startsWith("jdbc:postgresql:");
			}
			catch (SQLException ex) {
				throw new IllegalStateException(ex);
			}
		});
		TransactionTemplate reading = transaction(lazy);
		reading.setReadOnly(true);
		reading.executeWithoutResult((status) -> assertThat(status.isReadOnly()).as("defaults are known").isTrue());
		int before = opened.get();
		reading.executeWithoutResult((status) -> assertThat(any.current()).isNull());
		assertThat(opened).hasValue(before);
	}

	/** Resources of a thread have no order, so it takes many to meet the wrong one. */
	@Test
	void connectionWhenTwoAreBoundIsThatOfTheInnerTransaction() {
		SpringTransactionConnection any = new SpringTransactionConnection((connection) -> true);
		for (int i = 0; i < 12; i++) {
			DataSource other = SharedPostgres.SERVER.dataSource();
			checked(this.dataSource).executeWithoutResult((outer) -> {
				checked(other).executeWithoutResult(
						(inner) -> assertThat(any.current()).isSameAs(DataSourceUtils.getConnection(other)));
				assertThat(any.current()).isSameAs(DataSourceUtils.getConnection(this.dataSource));
			});
		}
	}

	@Test
	void connectionWhenTheOuterTransactionReadsIsThatWhichWrites() {
		SpringTransactionConnection any = new SpringTransactionConnection((connection) -> true);
		for (int i = 0; i < 12; i++) {
			DataSource other = SharedPostgres.SERVER.dataSource();
			TransactionTemplate reading = transaction(this.dataSource);
			reading.setReadOnly(true);
			reading.executeWithoutResult((outer) -> transaction(other).executeWithoutResult(
					(inner) -> assertThat(any.current()).isSameAs(DataSourceUtils.getConnection(other))));
		}
	}

	@Test
	void connectionOfTheOuterTransactionIsNotTakenByAnother() {
		checked(this.dataSource).executeWithoutResult((outer) -> checked(SharedPostgres.SERVER.dataSource())
			.executeWithoutResult((inner) -> assertThat(this.connection.current()).isNull()));
	}

	/** Synchronizations of another transaction, as of JMS, let it go while suspended. */
	@Test
	void connectionThatWasReturnedMeanwhileIsPassedOver() throws SQLException {
		TransactionSynchronizationManager.bindResource(this.dataSource, new ReturnedConnection(this.dataSource));
		try {
			assertThat(this.connection.current()).isNull();
		}
		finally {
			TransactionSynchronizationManager.unbindResource(this.dataSource);
		}
	}

	private static final class ReturnedConnection extends ConnectionHolder {

		ReturnedConnection(DataSource dataSource) throws SQLException {
			super(dataSource.getConnection());
			getConnection().close();
			setConnection(null);
		}

	}

}

package io.distributedlock.benchmarks.comparison;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.benchmarks.protocol.Rounds;
import io.distributedlock.benchmarks.protocol.Table;
import io.distributedlock.benchmarks.protocol.Table.Column;
import io.distributedlock.jdbc.TransactionConnection;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Measures a transaction of an application, which updates a row on its own pool: alone,
 * with one statement more, and under a lock with and without the check of its owner. One
 * thread, no caller waits.
 */
final class CommitCost {

	private static final LockRequest REQUEST = LockRequest.of("account:1");

	private CommitCost() {
	}

	static Table compare(Setting setting) throws Exception {
		Table table = new Table("a transaction on one thread, %d rounds".formatted(setting.rounds()), true,
				Column.median("p50, µs", 0), Column.median("p99, µs", 0));
		try (HikariDataSource pool = Database.pool(setting.place());
				AnnotationConfigApplicationContext unchecked = start(setting.place(), pool, false);
				AnnotationConfigApplicationContext checked = start(setting.place(), pool, true)) {
			JdbcTemplate jdbc = new JdbcTemplate(pool);
			Runnable update = () -> jdbc.update("UPDATE account SET balance = balance + 1 WHERE id = 1");
			Runnable updateAndOneMore = () -> {
				update.run();
				jdbc.queryForObject("SELECT 1", Integer.class);
			};
			Map<String, Runnable> calls = new LinkedHashMap<>();
			calls.put("alone", transaction(unchecked, update));
			calls.put("alone, with a `SELECT 1` before its commit", transaction(unchecked, updateAndOneMore));
			calls.put("under a lock, not checked", locked(unchecked, transaction(unchecked, update)));
			calls.put("under a lock, checked", locked(checked, transaction(checked, update)));
			Rounds
				.take(calls, Setting.WARM_UP, setting.rounds(),
						(transaction) -> measure(transaction, setting.sliceMillis()))
				.forEach(table::add);
		}
		return table;
	}

	private static AnnotationConfigApplicationContext start(Place place, DataSource pool, boolean checked) {
		return OwnSqlCandidate.start(place, false, (beans) -> {
			beans.registerBean("dataSource", DataSource.class, () -> pool,
					(definition) -> definition.setDestroyMethodName(""));
			beans.registerBean(PlatformTransactionManager.class, () -> new DataSourceTransactionManager(pool));
			if (!checked) {
				beans.registerBean(TransactionConnection.class, () -> () -> null);
			}
		});
	}

	private static Runnable transaction(AnnotationConfigApplicationContext application, Runnable body) {
		TransactionTemplate template = new TransactionTemplate(application.getBean(PlatformTransactionManager.class));
		return () -> template.executeWithoutResult((status) -> body.run());
	}

	private static Runnable locked(AnnotationConfigApplicationContext application, Runnable body) {
		LockTemplate template = application.getBean(LockTemplate.class);
		return () -> template.executeWithoutResult(REQUEST, body);
	}

	private static double[] measure(Runnable transaction, int millis) {
		List<Double> micros = new ArrayList<>();
		long end = System.nanoTime() + millis * 1_000_000L;
		for (long start = System.nanoTime(); start < end; start = System.nanoTime()) {
			transaction.run();
			micros.add((System.nanoTime() - start) / 1e3);
		}
		double[] sorted = micros.stream().mapToDouble(Double::doubleValue).sorted().toArray();
		return new double[] { Rounds.quartile(sorted, 2), sorted[sorted.length * 99 / 100] };
	}

}

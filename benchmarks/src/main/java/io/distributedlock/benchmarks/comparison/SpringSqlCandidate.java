package io.distributedlock.benchmarks.comparison;

import java.util.concurrent.locks.Lock;

import com.zaxxer.hikari.HikariDataSource;

import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;

/**
 * Spring Integration on PostgreSQL, with its defaults and the {@code INSERT} that its
 * documentation has for PostgreSQL.
 *
 * @param registry its registry
 * @param pool the connections of the registry
 */
record SpringSqlCandidate(JdbcLockRegistry registry, HikariDataSource pool) implements Candidate {

	static SpringSqlCandidate of(Place place) {
		HikariDataSource pool = Database.pool(place);
		DefaultLockRepository repository = new DefaultLockRepository(pool);
		repository.setInsertQuery(repository.getInsertQuery() + " ON CONFLICT DO NOTHING");
		repository.setTransactionManager(new DataSourceTransactionManager(pool));
		repository.afterPropertiesSet();
		repository.afterSingletonsInstantiated();
		repository.start();
		return new SpringSqlCandidate(new JdbcLockRegistry(repository, place.lease()), pool);
	}

	@Override
	public Lock lock(String key) {
		return this.registry.obtain(key);
	}

	@Override
	public void close() {
		this.pool.close();
	}

}

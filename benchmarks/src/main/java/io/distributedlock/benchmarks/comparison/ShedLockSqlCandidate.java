package io.distributedlock.benchmarks.comparison;

import java.util.concurrent.locks.Lock;

import com.zaxxer.hikari.HikariDataSource;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider.Configuration;

import org.springframework.jdbc.core.JdbcTemplate;

/**
 * ShedLock on PostgreSQL, as its documentation shows it: by the time of the database.
 *
 * @param provider its provider
 * @param pool the connections of the provider
 * @param place has the lease of a lock
 */
record ShedLockSqlCandidate(LockProvider provider, HikariDataSource pool, Place place) implements Candidate {

	static ShedLockSqlCandidate of(Place place) {
		HikariDataSource pool = Database.pool(place);
		return new ShedLockSqlCandidate(
				new JdbcTemplateLockProvider(
						Configuration.builder().withJdbcTemplate(new JdbcTemplate(pool)).usingDbTime().build()),
				pool, place);
	}

	@Override
	public Lock lock(String key) {
		return ShedLockCandidate.lock(this.provider, key, this.place.lease());
	}

	@Override
	public void close() {
		this.pool.close();
	}

}

package io.distributedlock.jdbc;

import java.time.Duration;
import java.util.List;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.Searches;
import io.distributedlock.transaction.LeaseTransactionListener;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/** The server goes down, or ends connections, while instances count under a lock. */
class ServerFaultIntegrationTests {

	private static final int SOME = 5;

	private final JdbcTemplate administrator = FaultyPostgres.administrator(FaultyPostgres.SERVER);

	private CountingInstances counting(String key) {
		return new CountingInstances(FaultyPostgres.direct(FaultyPostgres.SERVER), key);
	}

	@Test
	void counterWhenTheServerCrashesLosesNoUpdate() throws Exception {
		try (CountingInstances counting = counting("crash")) {
			for (int i = 0; i < Searches.share(120); i++) {
				counting.awaitCommits(SOME);
				FaultyPostgres.SERVER.crash();
				FaultyPostgres.SERVER.restart();
			}
			counting.awaitCommits(SOME);
			counting.stopAndVerify();
		}
	}

	@Test
	void counterWhenTheServerIsRestartedLosesNoUpdate() throws Exception {
		try (CountingInstances counting = counting("restart")) {
			for (int i = 0; i < Searches.share(120); i++) {
				counting.awaitCommits(SOME);
				FaultyPostgres.SERVER.stop();
				FaultyPostgres.SERVER.restart();
			}
			counting.awaitCommits(SOME);
			counting.stopAndVerify();
			assertThat(counting.overlaps()).as("an orderly restart forgets no lock").isZero();
		}
	}

	/** Several of the same kind at a time, in the middle of whatever they do. */
	@ParameterizedTest
	@ValueSource(strings = { CountingInstances.STORE, CountingInstances.LISTENING, CountingInstances.APPLICATION,
			"counting-%" })
	void counterWhenConnectionsAreEndedLosesNoUpdate(String connections) throws Exception {
		try (CountingInstances counting = counting("ended")) {
			for (int i = 0; i < Searches.share(400); i++) {
				counting.awaitCommits(SOME);
				assertThat(end(connections)).as("ended connections").isNotEmpty().doesNotContain(false);
			}
			counting.awaitCommits(SOME);
			counting.stopAndVerify();
			assertThat(counting.overlaps()).isZero();
		}
	}

	/** Its transaction has not committed, which its exception says. */
	@Test
	void lockWhenTheConnectionEndsBeforeTheCommitIsFreeAtOnce() {
		try (GuardedStock stock = new GuardedStock(true)) {
			DataSourceTransactionManager manager = new DataSourceTransactionManager(stock.dataSource);
			manager.setTransactionExecutionListeners(
					List.of(new LeaseTransactionListener(), new TransactionExecutionListener() {

						@Override
						public void beforeCommit(TransactionExecution transaction) {
							Integer session = stock.jdbc.queryForObject("SELECT pg_backend_pid()", Integer.class);
							FaultyPostgres.administrator(SharedPostgres.SERVER)
								.queryForObject("SELECT pg_terminate_backend(?, 60000)", Boolean.class, session);
						}

					}));
			TransactionTemplate transaction = new TransactionTemplate(manager);
			LockRequest request = LockRequest.of("ended before its commit");
			assertThatException()
				.isThrownBy(() -> stock.locks.executeWithoutResult(request,
						() -> transaction.executeWithoutResult((status) -> stock.insert("ended"))))
				.withStackTraceContaining("terminating connection due to administrator command");
			assertThat(stock.operator.tryAcquire(request.waitFor(Duration.ZERO))).hasValueSatisfying(Lease::close);
			assertThat(stock.rows("ended")).isZero();
		}
	}

	private List<Boolean> end(String connections) {
		return this.administrator.queryForList(
				"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name LIKE ?", Boolean.class,
				connections);
	}

}

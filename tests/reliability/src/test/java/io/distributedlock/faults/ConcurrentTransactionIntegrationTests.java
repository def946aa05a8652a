package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.faults.CounterProcess.Way;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Transactions on a real database in two processes: no transaction writes the data that
 * another one has read under the lock, before that one has committed.
 */
class ConcurrentTransactionIntegrationTests {

	private static final int PER_THREAD = 20;

	private static final Duration SOON_OVER = Duration.ofSeconds(1);

	/** A process that starts may be late with its first renewals. */
	private static final Duration LONG = Duration.ofSeconds(60);

	private static final int ALL = 2 * CounterProcess.THREADS * PER_THREAD;

	private final List<CounterProcess> processes = new ArrayList<>();

	private FaultyRedis redis;

	private Server database;

	private String url;

	private JdbcTemplate jdbc;

	@BeforeEach
	void start() throws Exception {
		this.redis = new FaultyRedis();
		this.database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
		this.url = "jdbc:h2:tcp://localhost:%d/mem:counter;DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=20000"
			.formatted(this.database.getPort());
		this.jdbc = new JdbcTemplate(new DriverManagerDataSource(this.url, "sa", ""));
		this.jdbc.execute("CREATE TABLE counter (n INT)");
		this.jdbc.execute("INSERT INTO counter VALUES (0)");
	}

	@AfterEach
	void stop() throws Exception {
		this.processes.forEach(OtherProcess::close);
		this.jdbc.execute("SHUTDOWN");
		this.database.stop();
		this.redis.close();
	}

	@ParameterizedTest
	@EnumSource(names = { "TRANSACTION_INSIDE", "TRANSACTION_OPEN" })
	void updatesWhenGuardedAreNotLost(Way way) throws Exception {
		countInTwoProcesses(way);
		assertThat(counted()).isEqualTo(ALL);
	}

	@Test
	void updatesWhenTheLockIsReleasedBeforeTheCommitAreLost() throws Exception {
		countInTwoProcesses(Way.RELEASED_TOO_EARLY);
		assertThat(counted()).as("the control").isPositive().isLessThan(ALL);
	}

	@ParameterizedTest
	@EnumSource(names = { "WAITING_INSIDE", "WAITING_OPEN" })
	void updateOfAProcessThatWasStoppedBeyondItsLeaseIsRolledBack(Way way) throws Exception {
		DefaultLockRegistry here = this.redis.instance();
		CounterProcess holder = process(way, 0, SOON_OVER);
		holder.nudge();
		holder.answer("read");
		holder.stop();
		try (Lease next = here.acquire(LockRequest.of("counter").waitFor(Duration.ofSeconds(20)))) {
			this.jdbc.update("UPDATE counter SET n = 100");
			holder.resume();
			holder.nudge();
			assertThat(holder.answer("ended ")).isEqualTo("LockLostException");
			assertThat(next.isHeld()).isTrue();
		}
		assertThat(counted()).isEqualTo(100);
	}

	@ParameterizedTest
	@EnumSource(names = { "WAITING_INSIDE", "WAITING_OPEN" })
	void updateOfAProcessThatKeptItsLeaseIsCommitted(Way way) throws Exception {
		CounterProcess holder = process(way, 0, LONG);
		holder.nudge();
		holder.answer("read");
		holder.nudge();
		assertThat(holder.answer("ended ")).isEqualTo("committed");
		assertThat(counted()).isEqualTo(1);
	}

	private void countInTwoProcesses(Way way) throws Exception {
		List<CounterProcess> both = List.of(process(way, PER_THREAD, LONG), process(way, PER_THREAD, LONG));
		for (CounterProcess process : both) {
			process.nudge();
		}
		for (CounterProcess process : both) {
			process.answer("done");
		}
	}

	private CounterProcess process(Way way, int perThread, Duration slowTtl) throws Exception {
		CounterProcess process = new CounterProcess(way, this.redis.server.host(), this.redis.server.port(), this.url,
				perThread, slowTtl);
		this.processes.add(process);
		return process;
	}

	private int counted() {
		return this.jdbc.queryForObject("SELECT n FROM counter", Integer.class);
	}

}

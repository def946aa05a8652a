package io.distributedlock.faults;

import java.time.Duration;

import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.guard.sql.SqlFencingGuard;
import org.h2.tools.Server;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A writer is stopped beyond its lease, after it has read and before it writes; another
 * one sells meanwhile. Of ten pieces two are sold, so eight have to be left, unless one
 * of the two is refused.
 */
class StaleWriterIntegrationTests {

	private static final String KEY = "stock";

	private static final Duration TTL = Duration.ofSeconds(1);

	private FaultyRedis redis;

	private Server database;

	private StaleWriter here;

	@BeforeEach
	void start() throws Exception {
		this.redis = new FaultyRedis();
		this.database = Server.createTcpServer("-tcpPort", "0", "-ifNotExists").start();
		JdbcClient jdbc = JdbcClient.create(new DriverManagerDataSource(url()));
		jdbc.sql("CREATE TABLE stock (quantity INT)").update();
		jdbc.sql("INSERT INTO stock VALUES (10)").update();
		jdbc.sql("CREATE TABLE %s (resource VARCHAR(255) PRIMARY KEY, fence BIGINT NOT NULL)"
			.formatted(SqlFencingGuard.DEFAULT_TABLE)).update();
		this.here = new StaleWriter(url());
	}

	@AfterEach
	void stop() throws Exception {
		JdbcClient.create(new DriverManagerDataSource(url())).sql("DROP ALL OBJECTS").update();
		this.database.stop();
		this.redis.close();
	}

	private String url() {
		return "jdbc:h2:tcp://localhost:" + this.database.getPort() + "/mem:stale;DB_CLOSE_DELAY=-1";
	}

	@Test
	void writerThatWasStoppedBeyondItsLeaseIsRefusedByTheGuard() throws Exception {
		assertThat(sellWhileOneIsStopped(true)).isEqualTo("refused");
		assertThat(this.here.quantity()).isEqualTo(9);
	}

	/** The control: without the guard two are sold, and nine are left. */
	@Test
	void writerStoppedBeyondItsLeaseLosesAnUpdateWithoutTheGuard() throws Exception {
		assertThat(sellWhileOneIsStopped(false)).isEqualTo("sold");
		assertThat(this.here.quantity()).isEqualTo(9);
	}

	private String sellWhileOneIsStopped(boolean guarded) throws Exception {
		LockTemplate locks = new LockTemplate(this.redis.instance());
		try (OtherProcess late = new OtherProcess(StaleWriter.class, this.redis.server.host(),
				Integer.toString(this.redis.server.port()), KEY, TTL.toString(), url(), Boolean.toString(guarded))) {
			late.answer("read");
			late.stop();
			String next = locks.execute(LockRequest.of(KEY).waitFor(Duration.ofSeconds(30)),
					(lease) -> this.here.sell(lease, guarded, () -> {
					}));
			assertThat(next).isEqualTo("sold");
			late.resume();
			late.nudge();
			return late.answer("");
		}
	}

}

package io.distributedlock.jdbc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.Patience;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.jdbc.transaction.SpringTransactionConnection;
import io.distributedlock.transaction.LeaseTransactionListener;

import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application in a process of its own, which writes a row in one transaction under a
 * lock. It waits for a line in the body, and again between the check and the commit.
 */
final class GuardedProcess implements AutoCloseable {

	private static final String IN_THE_BODY = "in the body";

	private static final String CHECKED = "checked";

	private static final String ENDED = "ended ";

	private final Process process;

	private final BufferedReader output;

	private GuardedProcess(String key, Duration ttl, Duration idleBeforeCommit) throws IOException {
		this.process = new ProcessBuilder(ProcessHandle.current().info().command().orElse("java"), "-XX:+UseSerialGC",
				"-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), GuardedProcess.class.getName(),
				SharedPostgres.SERVER.url(), key, ttl.toString(), idleBeforeCommit.toString())
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.start();
		this.output = new BufferedReader(new InputStreamReader(this.process.getInputStream(), StandardCharsets.UTF_8));
	}

	/** A process that has the lock and has written the row, not yet committed. */
	static GuardedProcess inTheBody(String key, Duration ttl, Duration idleBeforeCommit) throws IOException {
		GuardedProcess process = new GuardedProcess(key, ttl, idleBeforeCommit);
		process.await(IN_THE_BODY);
		return process;
	}

	/** Let it go on from the body to the time after the check. */
	void check() throws IOException {
		nudge();
		await(CHECKED);
	}

	/** Let it go on from where it waits, and return how the transaction ended. */
	String end() throws IOException {
		nudge();
		return await(ENDED);
	}

	private void nudge() throws IOException {
		this.process.getOutputStream().write('\n');
		this.process.getOutputStream().flush();
	}

	/** A process that hangs is killed, which ends the waiting. */
	private String await(String beginning) throws IOException {
		Thread patience = new Thread(() -> {
			try {
				Thread.sleep(Patience.CEILING.toMillis());
				this.process.destroyForcibly();
			}
			catch (InterruptedException ignored) {
				// It has answered.
			}
		});
		patience.setDaemon(true);
		patience.start();
		try {
			String line = this.output.readLine();
			if (line == null || !line.startsWith(beginning)) {
				throw new IllegalStateException("The process was to say '%s', but said %s".formatted(beginning, line));
			}
			return line.substring(beginning.length());
		}
		finally {
			patience.interrupt();
		}
	}

	/** Stop it as a suspended machine or a long garbage collection would. */
	void stop() throws IOException, InterruptedException {
		signal("STOP");
	}

	void resume() throws IOException, InterruptedException {
		signal("CONT");
	}

	private void signal(String name) throws IOException, InterruptedException {
		if (new ProcessBuilder("kill", "-" + name, Long.toString(this.process.pid())).start().waitFor() != 0) {
			throw new IllegalStateException("kill -" + name + " failed");
		}
	}

	/** Kill it; it is gone when this returns. */
	@Override
	public void close() {
		this.process.destroyForcibly().onExit().join();
	}

	public static void main(String[] args) throws IOException {
		PrintStream out = System.out;
		System.setOut(System.err);
		Session session = new Session(new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)),
				out);
		session.run(args[0], args[1], Duration.parse(args[2]), Duration.parse(args[3]));
		Runtime.getRuntime().halt(0);
	}

	/** The side of the process. */
	private record Session(BufferedReader in, PrintStream out) implements TransactionExecutionListener {

		void run(String url, String key, Duration ttl, Duration idleBeforeCommit) {
			HikariDataSource application = pool(url);
			JdbcTemplate jdbc = new JdbcTemplate(application);
			DataSourceTransactionManager manager = new DataSourceTransactionManager(application);
			manager.setTransactionExecutionListeners(List.of(new LeaseTransactionListener(), this));
			TransactionTemplate transaction = new TransactionTemplate(manager);
			LockTemplate locks = new LockTemplate(new DefaultLockRegistry(PostgresLockStore.builder(pool(url))
				.checkCommits(new SpringTransactionConnection(application))
				.idleBeforeCommit(idleBeforeCommit)
				.build(), LockProfiles.DEFAULTS, EngineSettings.DEFAULTS, (event) -> {
				}));
			try {
				locks.executeWithoutResult(LockRequest.of(key).ttl(ttl),
						() -> transaction.executeWithoutResult((status) -> {
							jdbc.update("INSERT INTO stock VALUES (?)", key);
							pauseAt(IN_THE_BODY);
						}));
				this.out.println(ENDED + "by a commit");
			}
			catch (RuntimeException ex) {
				this.out.println(ENDED + "by " + (ex + ", " + ex.getCause()).replace('\n', ' '));
			}
		}

		private static HikariDataSource pool(String url) {
			HikariConfig config = new HikariConfig();
			config.setJdbcUrl(url);
			config.setUsername("postgres");
			config.setMaximumPoolSize(4);
			config.setMinimumIdle(1);
			return new HikariDataSource(config);
		}

		@Override
		public void beforeCommit(TransactionExecution transaction) {
			pauseAt(CHECKED);
		}

		private void pauseAt(String place) {
			this.out.println(place);
			try {
				this.in.readLine();
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}

package io.distributedlock.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

import io.distributedlock.Lease;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.WhenLost;
import io.distributedlock.guard.sql.SqlFencingGuard;
import io.distributedlock.guard.StaleTokenException;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A process that sells one piece under a lock: it reads the stock, waits until it is told
 * to go on, and writes back the stock that it read less one. Between the two it can be
 * stopped for longer than its lease.
 */
final class StaleWriter {

	private final JdbcClient jdbc;

	private final TransactionTemplate transaction;

	private final SqlFencingGuard guard;

	StaleWriter(String url) {
		DriverManagerDataSource dataSource = new DriverManagerDataSource(url);
		this.jdbc = JdbcClient.create(dataSource);
		this.transaction = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		this.guard = new SqlFencingGuard(dataSource);
	}

	public static void main(String[] args) throws IOException {
		PrintStream out = System.out;
		System.setOut(System.err);
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		LockTemplate locks = new LockTemplate(OtherProcess.registry(args[0], args[1]), LockProfiles.DEFAULTS);
		LockRequest request = LockRequest.of(args[2]).ttl(Duration.parse(args[3])).whenLost(WhenLost.IGNORE);
		StaleWriter writer = new StaleWriter(args[4]);
		boolean guarded = Boolean.parseBoolean(args[5]);
		String outcome = locks.execute(request, (lease) -> writer.sell(lease, guarded, () -> {
			out.println("read");
			await(in);
		}));
		out.println(outcome);
		await(in);
		Runtime.getRuntime().halt(0);
	}

	private static void await(BufferedReader in) {
		try {
			in.readLine();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/** Sell one piece, with a pause after it was read. */
	String sell(Lease lease, boolean guarded, Runnable pause) {
		int quantity = quantity();
		pause.run();
		try {
			this.transaction.executeWithoutResult((status) -> {
				if (guarded) {
					this.guard.check("stock", lease.fencingToken());
				}
				this.jdbc.sql("UPDATE stock SET quantity = ?").param(quantity - 1).update();
			});
			return "sold";
		}
		catch (StaleTokenException ex) {
			return "refused";
		}
	}

	int quantity() {
		return this.jdbc.sql("SELECT quantity FROM stock").query(Integer.class).single();
	}

}

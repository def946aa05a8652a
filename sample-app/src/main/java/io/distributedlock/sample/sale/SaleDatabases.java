package io.distributedlock.sample.sale;

import java.util.Map;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.embedded.PostgresServer;
import io.distributedlock.sample.shop.Ledger;
import org.jspecify.annotations.Nullable;

import org.springframework.context.annotation.Profile;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.stereotype.Component;

/**
 * The databases in which sales write: that of the shop, or a PostgreSQL that has the
 * locks too. The first sale that wants it starts it. Thread-safe.
 */
@Component
@Profile("!instance")
public class SaleDatabases implements AutoCloseable {

	/** Each instance has up to 21: its pool, and those of the locks. */
	private static final int CONNECTIONS = 200;

	private final Ledger shop;

	private @Nullable Postgres postgres;

	SaleDatabases(Ledger shop) {
		this.shop = shop;
	}

	/**
	 * Return the tables of a sale.
	 * @param sale the options
	 * @return the ledger of its database
	 * @throws IllegalStateException if there is no PostgreSQL for this machine
	 */
	public Ledger ledger(FlashSaleProperties sale) {
		return (sale.locks() == Locks.IN_REDIS) ? this.shop : postgres().ledger();
	}

	/** Return the options with which an instance finds database and locks. */
	Map<String, String> options(FlashSaleProperties sale) {
		if (sale.locks() == Locks.IN_REDIS) {
			return Map.of();
		}
		return Map.of("spring.datasource.url", postgres().server().url(), "spring.datasource.username", "postgres",
				"distributed-lock.store", "postgresql", "distributed-lock.postgresql.initialize-schema", "always",
				"flash-sale.fenced", "false");
	}

	private synchronized Postgres postgres() {
		Postgres running = this.postgres;
		if (running == null) {
			running = Postgres.start();
			this.postgres = running;
		}
		return running;
	}

	@Override
	public synchronized void close() {
		if (this.postgres != null) {
			this.postgres.close();
		}
	}

	/** The server, with connections of this process. */
	private record Postgres(PostgresServer server, HikariDataSource pool) {

		static Postgres start() {
			PostgresServer server = PostgresServer.start("max_connections=" + CONNECTIONS);
			HikariDataSource pool = new HikariDataSource();
			pool.setDataSource(server.dataSource());
			pool.setMaximumPoolSize(2);
			new ResourceDatabasePopulator(new ClassPathResource("schema.sql")).execute(pool);
			return new Postgres(server, pool);
		}

		Ledger ledger() {
			return new Ledger(JdbcClient.create(this.pool));
		}

		void close() {
			this.pool.close();
			this.server.close();
		}

	}

}

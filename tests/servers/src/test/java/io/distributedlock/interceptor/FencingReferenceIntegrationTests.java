package io.distributedlock.interceptor;

import java.io.IOException;
import java.util.NoSuchElementException;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.FencingToken;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.guard.redis.RedisFencingGuard;
import io.distributedlock.guard.sql.SqlFencingGuard;
import io.distributedlock.guard.StaleTokenException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The examples of the documentation of fencing. */
class FencingReferenceIntegrationTests {

	private final GuardedContext context = new GuardedContext().start(Storage.class, Stock.class, Leader.class);

	private final JdbcClient jdbc = this.context.bean(JdbcClient.class);

	@BeforeEach
	void createTables() {
		this.jdbc.sql("""
				CREATE TABLE distributed_lock_fence (
				    resource VARCHAR(255) PRIMARY KEY,
				    fence BIGINT NOT NULL
				)""").update();
		this.jdbc.sql("CREATE TABLE stock (item VARCHAR(255) PRIMARY KEY, quantity INT, fence BIGINT DEFAULT 0)")
			.update();
		this.jdbc.sql("INSERT INTO stock (item, quantity) VALUES ('apple', 10)").update();
	}

	@AfterEach
	void dropTables() {
		this.jdbc.sql("DROP ALL OBJECTS").update();
		this.context.close();
	}

	@Test
	void examplesWhenOnThePageAreInThisTest() throws IOException {
		assertThat(DocumentedExamples.of("fencing.md")).hasSizeGreaterThan(2)
			.allSatisfy((example) -> assertThat(DocumentedExamples.codeOf(FencingReferenceIntegrationTests.class))
				.contains(example));
	}

	@Test
	void columnWhenWriterIsLateRefuses() {
		Stock stock = this.context.bean(Stock.class);
		stock.setQuantity("apple", 8, 0);
		assertThat(quantity()).isEqualTo(8);
		this.jdbc.sql("UPDATE stock SET fence = ?").param(Long.MAX_VALUE).update();
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> stock.setQuantity("apple", 7, 0));
		assertThat(quantity()).isEqualTo(8);
	}

	/** The missing row was reported as a late writer. */
	@Test
	void columnWhenThereIsNoRowSaysSo() {
		Stock stock = this.context.bean(Stock.class);
		assertThatExceptionOfType(NoSuchElementException.class).isThrownBy(() -> stock.setQuantity("pear", 7, 0))
			.withMessage("There is no stock of pear");
	}

	@Test
	void guardWhenWriterIsLateRefusesAndNothingIsWritten() {
		Stock stock = this.context.bean(Stock.class);
		stock.sell("apple", 0);
		assertThat(quantity()).isEqualTo(9);
		this.jdbc.sql("UPDATE distributed_lock_fence SET fence = ?").param(Long.MAX_VALUE).update();
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> stock.sell("apple", 0))
			.withMessageContaining("stock:apple");
		assertThat(quantity()).isEqualTo(9);
	}

	@Test
	void valueWhenWriterIsLateIsKept() {
		Leader leader = this.context.bean(Leader.class);
		RedisFencingGuard values = this.context.bean(RedisFencingGuard.class);
		leader.publish("blue", 0);
		assertThat(values.read("config")).contains("blue");
		values.write("config", 1L << 53, "green");
		assertThatExceptionOfType(StaleTokenException.class).isThrownBy(() -> leader.publish("blue", 0));
		assertThat(values.read("config")).contains("green");
	}

	private int quantity() {
		return this.jdbc.sql("SELECT quantity FROM stock").query(Integer.class).single();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Storage {

		@Bean
		DriverManagerDataSource dataSource() {
			return new DriverManagerDataSource("jdbc:h2:mem:fencing;DB_CLOSE_DELAY=-1");
		}

		@Bean
		JdbcClient jdbc(DriverManagerDataSource dataSource) {
			return JdbcClient.create(dataSource);
		}

		@Bean
		JdbcTransactionManager transactionManager(DriverManagerDataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		SqlFencingGuard guard(DriverManagerDataSource dataSource) {
			return new SqlFencingGuard(dataSource);
		}

		@Bean
		RedisServer redis() {
			return RedisServers.start();
		}

		@Bean
		LettuceConnectionFactory connectionFactory(RedisServer redis) {
			return new LettuceConnectionFactory(redis.host(), redis.port());
		}

		@Bean
		RedisFencingGuard values(LettuceConnectionFactory factory) {
			return new RedisFencingGuard(new StringRedisTemplate(factory));
		}

	}

	static class Stock {

		private final JdbcClient jdbc;

		private final SqlFencingGuard guard;

		Stock(JdbcClient jdbc, SqlFencingGuard guard) {
			this.jdbc = jdbc;
			this.guard = guard;
		}

		@Transactional
		@DistributedLock(name = "stock", key = "#item")
		public void setQuantity(String item, int quantity, @FencingToken long token) {
			int updated = this.jdbc
				.sql("UPDATE stock SET quantity = :quantity, fence = :token WHERE item = :item AND fence <= :token")
				.param("quantity", quantity)
				.param("token", token)
				.param("item", item)
				.update();
			if (updated == 0 && isThere(item)) {
				throw new StaleTokenException(item, token, null);
			}
			if (updated == 0) {
				throw new NoSuchElementException("There is no stock of " + item);
			}
		}

		private boolean isThere(String item) {
			return this.jdbc.sql("SELECT 1 FROM stock WHERE item = ?").param(item).query().optionalValue().isPresent();
		}

		@Transactional
		@DistributedLock(name = "stock", key = "#item")
		public void sell(String item, @FencingToken long token) {
			this.guard.check("stock:" + item, token);
			this.jdbc.sql("UPDATE stock SET quantity = quantity - 1 WHERE item = ?").param(item).update();
		}

	}

	static class Leader {

		private final RedisFencingGuard values;

		Leader(RedisFencingGuard values) {
			this.values = values;
		}

		@DistributedLock(name = "leader", key = "'config'")
		public void publish(String config, @FencingToken long token) {
			this.values.write("config", token, config);
		}

	}

}

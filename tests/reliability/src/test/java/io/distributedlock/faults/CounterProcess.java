package io.distributedlock.faults;

import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;

import io.distributedlock.Lease;
import io.distributedlock.transaction.LeaseTransactionListener;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import org.h2.jdbcx.JdbcConnectionPool;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An instance of an application in a process of its own, which counts in a row of a
 * database by reading it and writing back one more.
 */
final class CounterProcess extends OtherProcess {

	static final int THREADS = 4;

	static final String KEY = "'counter'";

	CounterProcess(Way way, String redisHost, int redisPort, String url, int perThread, Duration slowTtl)
			throws IOException {
		super(CounterProcess.class, way.name(), redisHost, Integer.toString(redisPort), url,
				Integer.toString(perThread), slowTtl.toString());
		answer("ready");
	}

	/** How the lock and the transaction go together. */
	enum Way {

		/** The transaction begins and ends inside the lock. */
		TRANSACTION_INSIDE,

		/** The lock is taken inside a transaction. */
		TRANSACTION_OPEN,

		/** The control: the lock is released before the transaction around it commits. */
		RELEASED_TOO_EARLY,

		/** Like the first, but the only call waits for a line in its body. */
		WAITING_INSIDE,

		/** Like the second, but the only call waits for a line in its body. */
		WAITING_OPEN

	}

	public static void main(String[] args) throws Exception {
		PrintStream out = System.out;
		System.setOut(System.err);
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("arguments", Map.of("redis.host", args[1], "redis.port", args[2], "url",
					args[3], "slow.ttl", args[5], "distributed-lock.wait", "60s")));
		context.registerBean(PrintStream.class, () -> out, (definition) -> definition.setDestroyMethodName(""));
		context.register(Application.class, Counter.class, Ways.class, DistributedLockAutoConfiguration.class);
		context.refresh();
		Ways ways = context.getBean(Ways.class);
		out.println("ready");
		System.in.read();
		Way way = Way.valueOf(args[0]);
		int perThread = Integer.parseInt(args[4]);
		ExecutorService threads = Executors.newFixedThreadPool(THREADS);
		for (Future<?> done : IntStream.range(0, (perThread > 0) ? THREADS : 1)
			.mapToObj((thread) -> threads.submit(() -> ways.count(way, perThread)))
			.toList()) {
			done.get();
		}
		out.println("done");
		System.in.read();
		Runtime.getRuntime().halt(0);
	}

	/** The ways to count; none of them is guarded itself. */
	static class Ways {

		private final Counter counter;

		private final LockRegistry registry;

		private final TransactionTemplate transactions;

		private final PrintStream out;

		Ways(Counter counter, LockRegistry registry, JdbcTransactionManager manager, PrintStream out) {
			this.counter = counter;
			this.registry = registry;
			this.transactions = new TransactionTemplate(manager);
			this.out = out;
		}

		void count(Way way, int times) {
			for (int i = 0; i < times; i++) {
				countOnce(way);
			}
			if (times == 0) {
				try {
					countOnce(way);
					this.out.println("ended committed");
				}
				catch (RuntimeException ex) {
					this.out.println("ended " + ex.getClass().getSimpleName());
				}
			}
		}

		private void countOnce(Way way) {
			switch (way) {
				case TRANSACTION_INSIDE -> this.counter.countInside();
				case WAITING_INSIDE -> this.counter.countSlowlyInside();
				case TRANSACTION_OPEN -> this.transactions.executeWithoutResult((status) -> {
					this.counter.countGuarded();
					this.counter.doSomethingElse();
				});
				case WAITING_OPEN ->
					this.transactions.executeWithoutResult((status) -> this.counter.countSlowlyGuarded());
				case RELEASED_TOO_EARLY -> this.transactions.executeWithoutResult((status) -> {
					try (Lease lease = this.registry.acquire(LockRequest.of("counter"))) {
						this.counter.count();
					}
					this.counter.doSomethingElse();
				});
			}
		}

	}

	/** The row, and the guarded methods that count in it. */
	static class Counter {

		private final JdbcTemplate jdbc;

		private final PrintStream out;

		Counter(JdbcTemplate jdbc, PrintStream out) {
			this.jdbc = jdbc;
			this.out = out;
		}

		@DistributedLock(KEY)
		@Transactional
		public void countInside() {
			count();
		}

		@DistributedLock(KEY)
		public void countGuarded() {
			count();
		}

		@DistributedLock(key = KEY, ttl = "${slow.ttl}")
		@Transactional
		public void countSlowlyInside() {
			countSlowly();
		}

		@DistributedLock(key = KEY, ttl = "${slow.ttl}")
		public void countSlowlyGuarded() {
			countSlowly();
		}

		void count() {
			write(read());
		}

		private void countSlowly() {
			int known = read();
			this.out.println("read");
			try {
				System.in.read();
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
			write(known);
		}

		private int read() {
			return this.jdbc.queryForObject("SELECT n FROM counter", Integer.class);
		}

		private void write(int known) {
			this.jdbc.update("UPDATE counter SET n = ?", known + 1);
		}

		void doSomethingElse() {
			for (int i = 0; i < 5; i++) {
				this.jdbc.queryForObject("SELECT COUNT(*) FROM counter", Integer.class);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Application {

		@Bean
		LettuceConnectionFactory connectionFactory(Environment environment) {
			return new LettuceConnectionFactory(environment.getRequiredProperty("redis.host"),
					environment.getRequiredProperty("redis.port", Integer.class));
		}

		@Bean(destroyMethod = "dispose")
		JdbcConnectionPool dataSource(Environment environment) {
			return JdbcConnectionPool.create(environment.getRequiredProperty("url"), "sa", "");
		}

		@Bean
		JdbcTemplate jdbc(JdbcConnectionPool dataSource) {
			return new JdbcTemplate(dataSource);
		}

		@Bean
		JdbcTransactionManager transactionManager(JdbcConnectionPool dataSource, LeaseTransactionListener listener) {
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			manager.addListener(listener);
			return manager;
		}

	}

}

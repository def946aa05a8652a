package io.distributedlock.weaving;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

import static org.assertj.core.api.Assertions.assertThat;

class WovenTransactionTests {

	private static final MemoryLocks LOCKS = new MemoryLocks();

	private static final List<String> LOG = new ArrayList<>();

	@Test
	void transactionWhenWovenTooIsInsideTheLock() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withPropertyValues("distributed-lock.store=memory", "distributed-lock.advice=aspectj")
			.withBean("distributedLockStore", LockStore.class, () -> new MemoryLockStore(LOCKS))
			.withBean("probe", Probe.class)
			.withUserConfiguration(Transactions.class)
			.run((context) -> new Order().place());
		assertThat(LOG).containsExactly("key: no transaction", "body: in transaction, locked",
				"completed: in transaction, locked");
		assertThat(LOCKS.isLocked("", "order")).isFalse();
	}

	private static void log(String what) {
		LOG.add(what
				+ (TransactionSynchronizationManager.isActualTransactionActive() ? "in transaction" : "no transaction")
				+ (LOCKS.isLocked("", "order") ? ", locked" : ""));
	}

	static class Probe {

		public String key() {
			log("key: ");
			return "order";
		}

	}

	static class Order {

		@Transactional
		@DistributedLock("@probe.key()")
		void place() {
			log("body: ");
			TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
				@Override
				public void afterCompletion(int status) {
					log("completed: ");
				}
			});
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(mode = AdviceMode.ASPECTJ)
	static class Transactions {

		@Bean
		JdbcTransactionManager transactionManager() {
			return new JdbcTransactionManager(new DriverManagerDataSource("jdbc:h2:mem:woven;DB_CLOSE_DELAY=-1"));
		}

	}

}

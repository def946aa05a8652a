package io.distributedlock.autoconfigure;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.jdbc.PostgresLockStore;
import io.distributedlock.jdbc.TransactionConnection;
import io.distributedlock.jdbc.transaction.SpringTransactionConnection;
import io.distributedlock.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.ResourceLoader;
import org.springframework.jdbc.datasource.ConnectionHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.util.ClassUtils;

/**
 * Configuration of the store in PostgreSQL. It finds the database by the details that
 * Spring Boot has of the application's data source, which it does not use.
 */
@Configuration(proxyBeanMethods = false)
final class PostgresLockStoreConfiguration {

	static final String NAME = "postgresql";

	private static final String STORE = "io.distributedlock.jdbc.PostgresLockStore";

	private static final String POOL = "com.zaxxer.hikari.HikariDataSource";

	private static final String DRIVER = "org.postgresql.Driver";

	@Bean
	LockStoreType distributedLockPostgresStoreType(ResourceLoader resources) {
		return new PostgresType(resources.getClassLoader());
	}

	/** The store, its connections and the check of its table. */
	@Configuration(proxyBeanMethods = false)
	@Order(1)
	@ConditionalOnLockStore(NAME)
	@ConditionalOnClass(value = { HikariDataSource.class, PostgresLockStore.class }, name = DRIVER)
	static class StoreConfiguration {

		/** Not closed before all beans that take locks have ended. */
		@Bean(destroyMethod = "")
		@ConditionalOnMissingBean(name = { LockBeanNames.STORE, LockBeanNames.REGISTRY })
		PostgresLockConnections distributedLockConnections(DistributedLockProperties properties,
				ConfigurableListableBeanFactory beanFactory, RegistryClosing closing) {
			PostgresLockConnections connections = PostgresLockConnections
				.of(LockDatabase.of(properties.postgresql(), beanFactory), properties.postgresql());
			closing.addConnections(connections::close);
			return connections;
		}

		@Bean
		@ConditionalOnMissingBean(name = { LockBeanNames.STORE, LockBeanNames.REGISTRY })
		PostgresLockStore distributedLockStore(PostgresLockConnections connections,
				ObjectProvider<TransactionConnection> transactions) {
			return connections.store(transactions.getIfAvailable());
		}

	}

	/** The check of the owner in transactions that Spring manages, beside the store. */
	@Configuration(proxyBeanMethods = false)
	@Order(2)
	@ConditionalOnLockStore(NAME)
	@ConditionalOnClass({ HikariDataSource.class, SpringTransactionConnection.class, ConnectionHolder.class,
			TransactionSynchronizationManager.class })
	@ConditionalOnBean(PostgresLockConnections.class)
	@ConditionalOnMissingBean(TransactionConnection.class)
	static class TransactionConfiguration {

		@Bean
		LockTransactionCheck distributedLockTransactionCheck(PostgresLockConnections connections,
				ConfigurableListableBeanFactory beanFactory) {
			return new LockTransactionCheck(connections, beanFactory, System::nanoTime);
		}

		@Bean
		SpringTransactionConnection distributedLockTransactionConnection(LockTransactionCheck check) {
			return new SpringTransactionConnection(check);
		}

	}

	private record PostgresType(@Nullable ClassLoader classLoader) implements LockStoreType {

		@Override
		public String name() {
			return NAME;
		}

		@Override
		public boolean includes(LockStore store) {
			return isPresent(STORE) && store instanceof PostgresLockStore;
		}

		private boolean isPresent(String type) {
			return ClassUtils.isPresent(type, this.classLoader);
		}

		@Override
		public Missing missing() {
			if (!isPresent(STORE)) {
				return new Missing("lock-jdbc is not on the class path",
						"Add io.distributedlock:lock-jdbc, which lock-spring-boot-starter brings");
			}
			if (!isPresent(DRIVER)) {
				return new Missing("the driver of PostgreSQL is not on the class path",
						"Add org.postgresql:postgresql");
			}
			return isPresent(POOL) ? new Missing("another bean has its name", "Name that bean otherwise")
					: new Missing("HikariCP is not on the class path",
							"Add com.zaxxer:HikariCP, which spring-boot-starter-jdbc brings");
		}

	}

}

package io.distributedlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import javax.sql.DataSource;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockStoreException;
import io.distributedlock.LockTemplate;
import io.distributedlock.WhenLost;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.interceptor.DistributedLockAdvisor;
import io.distributedlock.interceptor.LockInterceptor;
import io.distributedlock.interceptor.MethodLockSpecSource;
import io.distributedlock.jdbc.transaction.SpringTransactionConnection;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockStore;
import io.distributedlock.test.store.DelegatingLockStore;
import io.distributedlock.transaction.LeaseTransactionListener;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

import org.springframework.aop.config.AopConfigUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * An application whose transactions are on the database of its locks, beside an instance
 * that takes locks away from it.
 */
final class GuardedStock implements AutoCloseable {

	private static final EngineSettings SETTINGS = EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO);

	final HikariDataSource dataSource = SharedPostgres.pool(8);

	final JdbcTemplate jdbc = new JdbcTemplate(this.dataSource);

	final DefaultLockRegistry registry;

	final DefaultLockRegistry operator = registry(PostgresLockStore.builder(SharedPostgres.pool()).build());

	final LockTemplate locks;

	final DataSourceTransactionManager manager = checked(new DataSourceTransactionManager(this.dataSource));

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private volatile boolean unavailable;

	/** An application whose transactions are checked, or not. */
	GuardedStock(boolean checked) {
		this.registry = registry(new DelegatingLockStore(PostgresLockStore.builder(SharedPostgres.pool())
			.checkCommits(checked ? new SpringTransactionConnection(this.dataSource) : null)
			.build()) {

			@Override
			public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
				return GuardedStock.this.unavailable ? CompletableFuture.failedFuture(
						new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "as the test wants it", null))
						: super.acquire(command);
			}

		});
		this.locks = new LockTemplate(this.registry);
		this.jdbc.execute("CREATE TABLE IF NOT EXISTS stock (id text)");
		start();
	}

	static DefaultLockRegistry registry(LockStore store) {
		return new DefaultLockRegistry(store, LockProfiles.DEFAULTS, SETTINGS, (event) -> {
		});
	}

	private void start() {
		MethodLockSpecSource source = MethodLockSpecSource.ofProxied(this.context.getDefaultListableBeanFactory(),
				() -> LockProfiles.DEFAULTS);
		this.context.registerBean(LockRegistry.class, () -> this.registry);
		this.context.registerBean(DataSource.class, () -> this.dataSource);
		this.context.registerBean(JdbcTemplate.class, () -> this.jdbc);
		this.context.registerBean(DataSourceTransactionManager.class, () -> this.manager);
		this.context.registerBean(DistributedLockAdvisor.class, () -> new DistributedLockAdvisor(source,
				new LockInterceptor(source, this.context.getBeanFactory(), (request, cause) -> {
				}), DistributedLockAdvisor.DEFAULT_ORDER),
				(definition) -> definition.setRole(BeanDefinition.ROLE_INFRASTRUCTURE));
		AopConfigUtils.registerAutoProxyCreatorIfNecessary(this.context);
		AopConfigUtils.forceAutoProxyCreatorToUseClassProxying(this.context);
		this.context.register(Transactions.class, Methods.class);
		this.context.refresh();
	}

	static <M extends AbstractPlatformTransactionManager> M checked(M manager) {
		manager.setTransactionExecutionListeners(List.of(new LeaseTransactionListener()));
		return manager;
	}

	Methods methods() {
		return this.context.getBean(Methods.class);
	}

	EntityManagerFactory entities() {
		return this.context.getBean(EntityManagerFactory.class);
	}

	TransactionTemplate transaction() {
		return new TransactionTemplate(this.manager);
	}

	TransactionTemplate transaction(int isolation) {
		TransactionTemplate transaction = transaction();
		transaction.setIsolationLevel(isolation);
		return transaction;
	}

	JpaTransactionManager jpa() {
		return checked(new JpaTransactionManager(entities()));
	}

	/** Let no command take a lock from here on. */
	void loseStore() {
		this.unavailable = true;
	}

	void insert(String id) {
		this.jdbc.update("INSERT INTO stock VALUES (?)", id);
	}

	/** Take a lock from its holder, who learns of it at its next renewal. */
	void takeAway(String key) {
		if (this.operator.forceRelease("", key, null) == 0) {
			throw new IllegalStateException("Not locked: " + key);
		}
	}

	/** Return what others see. */
	int rows(String id) {
		try (Connection connection = SharedPostgres.SERVER.dataSource().getConnection();
				var statement = connection.prepareStatement("SELECT count(*) FROM stock WHERE id = ?")) {
			statement.setString(1, id);
			var rows = statement.executeQuery();
			rows.next();
			return rows.getInt(1);
		}
		catch (SQLException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		this.context.close();
		this.registry.close();
		this.operator.close();
		this.dataSource.close();
	}

	/** Guarded methods with a transaction inside. */
	static class Methods {

		@DistributedLock("#key")
		@Transactional
		public void guarded(String key, Runnable body) {
			body.run();
		}

		@DistributedLock(key = "#key", whenLost = WhenLost.IGNORE)
		@Transactional
		public void ignoringLoss(String key, Runnable body) {
			body.run();
		}

		@DistributedLock(key = "#key", condition = "false")
		@Transactional
		public void onCondition(String key, Runnable body) {
			body.run();
		}

		@DistributedLock(key = "#key", whenUnavailable = WhenUnavailable.PROCEED)
		@Transactional
		public void proceeding(String key, Runnable body) {
			body.run();
		}

	}

	@Entity
	@Table(name = "stock")
	static class Item {

		@Id
		private String id;

		Item() {
		}

		Item(String id) {
			this.id = id;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Transactions {

		@Bean
		LocalContainerEntityManagerFactoryBean entities(DataSource dataSource) {
			LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
			factory.setDataSource(dataSource);
			factory.setManagedTypes(PersistenceManagedTypes.of(Item.class.getName()));
			factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
			return factory;
		}

	}

}

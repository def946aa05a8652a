package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.transaction.LeaseTransactionListener;
import io.distributedlock.LockLostException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.Renewal;
import io.r2dbc.spi.ConnectionFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.context.support.SimpleThreadScope;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.r2dbc.connection.R2dbcTransactionManager;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.ReactiveTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The application's own transaction managers look at the lock before they commit. */
@ExtendWith(OutputCaptureExtension.class)
class TransactionListenerPostProcessorTests {

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
		.withUserConfiguration(Database.class)
		.withBean(Stock.class);

	/**
	 * The listener was added to the managers of Spring Boot alone, and the rest
	 * committed.
	 */
	@ParameterizedTest
	@ValueSource(classes = { DeclaredAsInterface.class, DeclaredAsClass.class, DeclaredAsConfigurable.class,
			MadeByFactoryBean.class, WithProxyByInterface.class, WithScope.class, WithUnmodifiableListeners.class,
			WithTwo.class, RegisteredReadyMade.class, CopyingItsListeners.class })
	void transactionWhenLockIsLostInsideItRollsBack(Class<?> configuration) {
		run(configuration, (context) -> {
			Stock stock = context.getBean(Stock.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(stock::insertTooLate);
			assertThat(stock.rows()).isZero();
			stock.insert();
			assertThat(stock.rows()).isOne();
		});
	}

	@Test
	void transactionWhenOfTheSecondManagerRollsBackAsWell() {
		run(WithTwo.class, (context) -> {
			Stock stock = context.getBean(Stock.class);
			assertThatExceptionOfType(LockLostException.class).isThrownBy(stock::insertTooLateByTheSecond);
			assertThat(stock.rows()).isZero();
		});
	}

	@Test
	void managersWhenTwoHaveOneListenerEachAndKeepTheirOwn() {
		run(WithTwo.class, (context) -> {
			assertThat(listeners(context, "first")).hasExactlyElementsOfTypes(LeaseTransactionListener.class);
			assertThat(listeners(context, "second")).hasExactlyElementsOfTypes(Recording.class,
					LeaseTransactionListener.class);
			context.getBean(Stock.class).insertByTheSecond();
			assertThat(WithTwo.RECORDING.begun).containsExactly("second");
		});
	}

	/** A list of listeners may belong to the application, which adds to it later. */
	@Test
	void listenerAddedLaterToTheListOfTheApplicationIsUsed() {
		run(WithSharedList.class, (context) -> {
			WithSharedList.LISTENERS.add(new Recording());
			assertThat(listeners(context, "one")).hasExactlyElementsOfTypes(LeaseTransactionListener.class,
					Recording.class);
			assertThat(listeners(context, "other")).hasExactlyElementsOfTypes(LeaseTransactionListener.class,
					Recording.class);
		});
	}

	@Test
	void managerWhenUserHasAddedTheListenerGetsNoSecond() {
		run(WithListener.class, (context) -> assertThat(listeners(context, "transactionManager"))
			.containsExactly(context.getBean(LeaseTransactionListener.class)));
	}

	@Test
	void managerWhenSpringBootsGetsNoSecondListener() {
		this.runner
			.withConfiguration(
					AutoConfigurations.of(BootTypes.of("jdbc", "DataSourceTransactionManagerAutoConfiguration"),
							BootTypes.of("transaction", "TransactionAutoConfiguration"),
							BootTypes.of("transaction", "TransactionManagerCustomizationAutoConfiguration")))
			.run((context) -> assertThat(listeners(context, "transactionManager"))
				.containsExactly(context.getBean(LeaseTransactionListener.class)));
	}

	@Test
	void managerWhenReactiveHasTheListener() {
		run(Reactive.class, (context) -> assertThat(listeners(context, "reactive"))
			.hasExactlyElementsOfTypes(LeaseTransactionListener.class));
	}

	@Test
	void managerWhenLazyIsNotCreatedAtTheStart(CapturedOutput output) {
		new ApplicationContextRunner().withPropertyValues("distributed-lock.store=memory")
			.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withBean("lazy", JdbcTransactionManager.class, () -> {
				throw new AssertionError("created too early");
			}, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("not eligible");
	}

	@Test
	void managerWhenItTakesNoListenersIsNamedInAWarning(CapturedOutput output) {
		run(NotConfigurable.class, (context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("takes no listeners")
			.contains("Transaction manager 'own' (" + Delegating.class.getTypeName() + ")");
	}

	@Test
	void managersWhenTheyTakeListenersAreWarnedOfNothing(CapturedOutput output) {
		run(WithScope.class, (context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("takes no listeners").doesNotContain("not eligible");
	}

	private void run(Class<?> configuration, Consumer<AssertableApplicationContext> test) {
		this.runner.withUserConfiguration(configuration).run((context) -> {
			assertThat(context).hasNotFailed();
			test.accept(context);
		});
	}

	private static Collection<TransactionExecutionListener> listeners(AssertableApplicationContext context,
			String manager) {
		return context.getBean(manager, ConfigurableTransactionManager.class).getTransactionExecutionListeners();
	}

	static class Stock {

		private final JdbcTemplate jdbc;

		Stock(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		int rows() {
			return this.jdbc.queryForObject("SELECT COUNT(*) FROM stock", Integer.class);
		}

		@DistributedLock("'k'")
		@Transactional
		public void insert() {
			this.jdbc.update("INSERT INTO stock VALUES (1)");
		}

		@DistributedLock("'k'")
		@Transactional("second")
		public void insertByTheSecond() {
			this.jdbc.update("INSERT INTO stock VALUES (1)");
		}

		@DistributedLock(key = "'k'", ttl = "50ms", renew = Renewal.OFF)
		@Transactional
		public void insertTooLate() {
			insertAndLose();
		}

		@DistributedLock(key = "'k'", ttl = "50ms", renew = Renewal.OFF)
		@Transactional("second")
		public void insertTooLateByTheSecond() {
			insertAndLose();
		}

		private void insertAndLose() {
			this.jdbc.update("INSERT INTO stock VALUES (1)");
			Lease lease = Lease.current().orElseThrow();
			Awaitility.await().until(() -> !lease.isHeld());
		}

	}

	static class Recording implements TransactionExecutionListener {

		final List<String> begun = new CopyOnWriteArrayList<>();

		@Override
		public void beforeBegin(TransactionExecution transaction) {
			this.begun.add("second");
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class Database {

		@Bean
		DriverManagerDataSource dataSource() {
			return new DriverManagerDataSource("jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1".formatted(UUID.randomUUID()));
		}

		@Bean
		JdbcTemplate jdbc(DriverManagerDataSource dataSource) {
			JdbcTemplate jdbc = new JdbcTemplate(dataSource);
			jdbc.execute("CREATE TABLE stock (id INT)");
			return jdbc;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DeclaredAsInterface {

		@Bean
		PlatformTransactionManager transactionManager(DriverManagerDataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DeclaredAsClass {

		@Bean
		JdbcTransactionManager transactionManager(DriverManagerDataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class DeclaredAsConfigurable {

		@Bean
		TransactionManager transactionManager(DriverManagerDataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class MadeByFactoryBean {

		@Bean
		FactoryBean<PlatformTransactionManager> transactionManager(DriverManagerDataSource dataSource) {
			return new FactoryBean<>() {

				@Override
				public PlatformTransactionManager getObject() {
					return new JdbcTransactionManager(dataSource);
				}

				@Override
				public Class<?> getObjectType() {
					return PlatformTransactionManager.class;
				}

			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithProxyByInterface {

		@Bean
		PlatformTransactionManager transactionManager(DriverManagerDataSource dataSource) {
			ProxyFactory factory = new ProxyFactory();
			factory.addInterface(PlatformTransactionManager.class);
			factory.setTarget(new JdbcTransactionManager(dataSource));
			PlatformTransactionManager proxy = (PlatformTransactionManager) factory.getProxy();
			assertThat(proxy).isInstanceOf(Advised.class).isNotInstanceOf(ConfigurableTransactionManager.class);
			return proxy;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithScope {

		@Bean
		static BeanFactoryPostProcessor scope() {
			return (beanFactory) -> beanFactory.registerScope("once", new SimpleThreadScope());
		}

		@Bean
		@Scope(scopeName = "once", proxyMode = ScopedProxyMode.INTERFACES)
		PlatformTransactionManager transactionManager(DriverManagerDataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithUnmodifiableListeners {

		@Bean
		PlatformTransactionManager transactionManager(DriverManagerDataSource dataSource) {
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			manager.setTransactionExecutionListeners(List.of(new Recording()));
			return manager;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithTwo {

		private static final Recording RECORDING = new Recording();

		@Bean
		@Primary
		PlatformTransactionManager first(DriverManagerDataSource dataSource) {
			return new JdbcTransactionManager(dataSource);
		}

		@Bean
		PlatformTransactionManager second(DriverManagerDataSource dataSource) {
			RECORDING.begun.clear();
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			manager.addListener(RECORDING);
			return manager;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithSharedList {

		private static final List<TransactionExecutionListener> LISTENERS = new ArrayList<>();

		@Bean
		JdbcTransactionManager one(DriverManagerDataSource dataSource) {
			LISTENERS.clear();
			return manager(dataSource);
		}

		@Bean
		JdbcTransactionManager other(DriverManagerDataSource dataSource) {
			return manager(dataSource);
		}

		private static JdbcTransactionManager manager(DriverManagerDataSource dataSource) {
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			manager.setTransactionExecutionListeners(LISTENERS);
			return manager;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class WithListener {

		@Bean
		JdbcTransactionManager transactionManager(DriverManagerDataSource dataSource,
				LeaseTransactionListener listener) {
			JdbcTransactionManager manager = new JdbcTransactionManager(dataSource);
			manager.setTransactionExecutionListeners(List.of(listener));
			return manager;
		}

	}

	/** No post-processor sees it. */
	@Configuration(proxyBeanMethods = false)
	static class RegisteredReadyMade {

		@Bean
		static BeanFactoryPostProcessor registration() {
			return (beanFactory) -> beanFactory.registerSingleton("transactionManager",
					new JdbcTransactionManager(beanFactory.getBean(DriverManagerDataSource.class)));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class CopyingItsListeners {

		@Bean
		ConfigurableTransactionManager transactionManager(DriverManagerDataSource dataSource) {
			return new Copying(dataSource);
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class NotConfigurable {

		@Bean
		PlatformTransactionManager own(DriverManagerDataSource dataSource) {
			return new Delegating(new JdbcTransactionManager(dataSource));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Reactive {

		@Bean
		ReactiveTransactionManager reactive() {
			return new R2dbcTransactionManager(
					ConnectionFactories.get("r2dbc:h2:mem:///%s".formatted(UUID.randomUUID())));
		}

	}

	static class Delegating implements PlatformTransactionManager {

		final JdbcTransactionManager delegate;

		Delegating(JdbcTransactionManager delegate) {
			this.delegate = delegate;
		}

		@Override
		public TransactionStatus getTransaction(TransactionDefinition definition) {
			return this.delegate.getTransaction(definition);
		}

		@Override
		public void commit(TransactionStatus status) {
			this.delegate.commit(status);
		}

		@Override
		public void rollback(TransactionStatus status) {
			this.delegate.rollback(status);
		}

	}

	private static final class Copying extends Delegating implements ConfigurableTransactionManager {

		Copying(DriverManagerDataSource dataSource) {
			super(new JdbcTransactionManager(dataSource));
		}

		@Override
		public void setTransactionExecutionListeners(Collection<TransactionExecutionListener> listeners) {
			this.delegate.setTransactionExecutionListeners(listeners);
		}

		@Override
		public Collection<TransactionExecutionListener> getTransactionExecutionListeners() {
			return new ArrayList<>(this.delegate.getTransactionExecutionListeners());
		}

	}

}

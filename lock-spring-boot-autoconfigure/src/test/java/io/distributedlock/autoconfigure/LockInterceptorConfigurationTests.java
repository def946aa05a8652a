package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.transaction.LeaseTransactionListener;
import io.distributedlock.LockLostException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.Renewal;
import io.distributedlock.autoconfigure.diagnostics.FailureReports;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.interceptor.DistributedLockAdvisor;
import io.distributedlock.interceptor.InvalidLockDeclarationException;
import io.distributedlock.interceptor.LockInterceptor;
import io.distributedlock.interceptor.MethodLockSpecSource;
import io.distributedlock.interceptor.UnprotectedCallListener;
import io.distributedlock.memory.MemoryLockStore;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.annotation.Transactional;

import org.springframework.transaction.annotation.EnableTransactionManagement;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

@ExtendWith(OutputCaptureExtension.class)
class LockInterceptorConfigurationTests {

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withUserConfiguration(LockInterceptorConfiguration.class)
		.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class));

	private final ApplicationContextRunner runner = this.bare.withBean("distributedLockRegistry",
			DefaultLockRegistry.class, () -> new DefaultLockRegistry(new MemoryLockStore()));

	@Test
	void beanWhenAnnotatedIsGuarded() {
		this.runner.withBean(Guarded.class)
			.run((context) -> assertThat(context.getBean(Guarded.class).isLocked()).isTrue());
	}

	@Test
	void beanWhenAopIsSwitchedOffIsStillGuarded() {
		this.runner.withPropertyValues("spring.aop.auto=false")
			.withBean(Guarded.class)
			.run((context) -> assertThat(context.getBean(Guarded.class).isLocked()).isTrue());
	}

	@Test
	void beanWhenProxiedByInterfaceIsGuarded() {
		this.runner.withPropertyValues("spring.aop.auto=false", "spring.aop.proxy-target-class=false")
			.withBean("guarded", Guarded.class)
			.run((context) -> {
				Object guarded = context.getBean("guarded");
				assertThat(AopUtils.isJdkDynamicProxy(guarded)).isTrue();
				assertThat(((Lockable) guarded).isLocked()).isTrue();
			});
	}

	/** A misspelt profile has no effect, and nothing else would say so. */
	@Test
	void profilesWhenNoAnnotatedMethodHasTheirNameAreTold(CapturedOutput output) {
		profiled(Named.class, "stock", "outer", "stcok", "ordres");
		assertThat(output).containsOnlyOnce("No annotated method has a lock of the name [ordres, stcok]")
			.contains(
					"only for locks of that name that the code asks for by LockRegistry, LockRequest and LockTemplate")
			.contains("The names of annotated methods are [outer, stock]");
	}

	@Test
	void profilesWhenAllAreOfAnnotatedMethodsAreNotTold(CapturedOutput output) {
		profiled(Named.class, "stock", "outer");
		assertThat(output).doesNotContain("No annotated method");
	}

	@Test
	void profilesWhenNoMethodIsAnnotatedAreNotTold(CapturedOutput output) {
		profiled(Object.class, "stock");
		assertThat(output).doesNotContain("No annotated method");
	}

	private void profiled(Class<?> bean, String... names) {
		Map<String, LockOptions> profiles = Stream.of(names)
			.collect(Collectors.toMap(Function.identity(), (name) -> LockOptions.NONE));
		this.runner.withBean(LockProfiles.class, () -> new LockProfiles(LockOptions.NONE, profiles))
			.withBean(bean)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	@Test
	void orderWhenNotSetIsOutsideTransactions() {
		this.runner.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder())
			.isLessThan(Ordered.LOWEST_PRECEDENCE));
	}

	@Test
	void orderWhenSetIsTheAdvisors() {
		this.runner.withPropertyValues("distributed-lock.order=7")
			.run((context) -> assertThat(context.getBean(DistributedLockAdvisor.class).getOrder()).isEqualTo(7));
	}

	@Test
	void adviceWhenAspectjBuildsNoProxy() {
		this.runner.withPropertyValues("distributed-lock.advice=AspectJ")
			.run((context) -> assertThat(context).hasSingleBean(MethodLockSpecSource.class)
				.hasSingleBean(LockInterceptor.class)
				.doesNotHaveBean(DistributedLockAdvisor.class));
	}

	@Test
	void adviceWhenAspectjAndBeanIsNotWovenStopsTheStart() {
		this.runner.withPropertyValues("distributed-lock.advice=aspectj")
			.withBean(Guarded.class)
			.run((context) -> assertThat(context).getFailure()
				.hasCauseInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContaining("Guarded.isLocked() is not woven"));
	}

	@Test
	void startWhenNothingIsGuardedCreatesNoRegistryAndWarnsOfNothing(CapturedOutput output) {
		this.bare.withBean("distributedLockRegistry", LockRegistry.class, () -> {
			throw new AssertionError("created too early");
		}, (definition) -> definition.setLazyInit(true)).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("not eligible");
	}

	@Test
	void startWhenThereIsNoRegistryFailsForGuardedBeans() {
		this.bare.withBean(Guarded.class)
			.run((context) -> assertThat(context).getFailure()
				.hasCauseInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContaining("there is no LockRegistry bean"));
	}

	@Test
	void failureWhenDeclarationIsInvalidIsAnalyzed() {
		this.runner.withBean(Invalid.class).run((context) -> {
			FailureAnalysis analysis = FailureReports.of(context.getStartupFailure());
			assertThat(analysis.getDescription()).contains(Invalid.class.getTypeName() + ".guarded()")
				.contains("'orders' is neither quoted nor a parameter");
			assertThat(analysis.getAction()).contains("\"'orders'\"");
		});
	}

	@Test
	void transactionListenerWhenTransactionsAreThereIsRegistered() {
		this.runner.run((context) -> assertThat(context).hasSingleBean(LeaseTransactionListener.class));
	}

	@Test
	void transactionListenerWhenThereAreNoTransactionsIsMissing() {
		this.runner.withClassLoader(new FilteredClassLoader(TransactionExecutionListener.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean("distributedLockTransactionListener"));
	}

	@Test
	void listenerWhenMethodProceedsWithoutLockIsTold() {
		List<String> told = new CopyOnWriteArrayList<>();
		this.bare.withBean(LockRegistry.class, Unavailable::new)
			.withBean(UnprotectedCallListener.class, () -> (request, cause) -> told.add(cause.getMessage()))
			.withBean(Proceeding.class)
			.run((context) -> {
				context.getBean(Proceeding.class).guarded();
				assertThat(told).containsExactly("no connection");
			});
	}

	@Test
	void transactionWhenLockIsLostInsideItRollsBack() {
		this.runner
			.withConfiguration(AutoConfigurations.of(BootTypes.of("jdbc", "DataSourceAutoConfiguration"),
					BootTypes.of("jdbc", "JdbcTemplateAutoConfiguration"),
					BootTypes.of("jdbc", "DataSourceTransactionManagerAutoConfiguration"),
					BootTypes.of("transaction", "TransactionAutoConfiguration"),
					BootTypes.of("transaction", "TransactionManagerCustomizationAutoConfiguration")))
			.withBean(Losing.class)
			.run((context) -> {
				JdbcTemplate jdbc = context.getBean(JdbcTemplate.class);
				jdbc.execute("CREATE TABLE losing (id INT)");
				assertThatExceptionOfType(LockLostException.class).isThrownBy(context.getBean(Losing.class)::insert);
				assertThat(jdbc.queryForList("SELECT * FROM losing")).isEmpty();
			});
	}

	@Test
	void orderWhenTransactionIsOutsideIsNamedInAWarning(CapturedOutput output) {
		transactional("distributed-lock.order=2147483647");
		assertThat(output).containsOnlyOnce("The order of transactions is 100, and that of locks 2147483647");
	}

	/** The order of equal advisors depends on the order of the beans. */
	@Test
	void orderWhenThatOfTransactionsIsWarnedOf(CapturedOutput output) {
		this.runner.withPropertyValues("distributed-lock.order=2147483647")
			.withUserConfiguration(DefaultTransactions.class)
			.withBean(TransactionalAndGuarded.class)
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).containsOnlyOnce("The order of transactions is 2147483647, and that of locks 2147483647");
	}

	@Test
	void orderWhenTransactionIsInsideWarnsOfNothing(CapturedOutput output) {
		transactional("distributed-lock.order=1");
		assertThat(output).doesNotContain("The order of transactions");
	}

	private void transactional(String order) {
		this.runner.withPropertyValues(order)
			.withUserConfiguration(Transactions.class)
			.withBean(TransactionalAndGuarded.class)
			.run((context) -> assertThat(context).hasNotFailed());
	}

	static class Named {

		@DistributedLock(name = "outer", key = "#id")
		@DistributedLock(name = "stock", key = "#id")
		public void guarded(int id) {
		}

	}

	static class Losing {

		private final JdbcTemplate jdbc;

		Losing(JdbcTemplate jdbc) {
			this.jdbc = jdbc;
		}

		@Transactional
		@DistributedLock(ttl = "50ms", renew = Renewal.OFF)
		public void insert() {
			this.jdbc.update("INSERT INTO losing VALUES (1)");
			Lease lease = Lease.current().orElseThrow();
			Awaitility.await().until(() -> !lease.isHeld());
		}

	}

	interface Lockable {

		boolean isLocked();

	}

	static class Guarded implements Lockable {

		@Override
		@DistributedLock
		public boolean isLocked() {
			return Lease.current().isPresent();
		}

	}

	static class Invalid {

		@DistributedLock("orders")
		public void guarded() {
		}

	}

	static class Proceeding {

		@DistributedLock(whenUnavailable = WhenUnavailable.PROCEED)
		public void guarded() {
		}

	}

	private static final class Unavailable implements LockRegistry {

		@Override
		public LeaseLock getLock(String name, String key) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Optional<Lease> tryAcquire(LockRequest request) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Lease acquire(LockRequest request) {
			throw new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "no connection", null);
		}

		@Override
		public CompletionStage<Lease> acquireAsync(LockRequest request) {
			throw new UnsupportedOperationException();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true, order = 100)
	static class Transactions {

	}

	@Configuration(proxyBeanMethods = false)
	@EnableTransactionManagement(proxyTargetClass = true)
	static class DefaultTransactions {

	}

	static class TransactionalAndGuarded {

		@Transactional
		@DistributedLock
		public void guarded() {
		}

	}

}

package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import com.zaxxer.hikari.HikariDataSource;
import io.distributedlock.autoconfigure.DistributedLockProperties.Postgresql;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.jdbc.PostgresLockStore;
import io.distributedlock.jdbc.TransactionConnection;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** The database of the locks and the refusals of settings, without a server. */
class PostgresLockStoreConfigurationTests {

	private static final Class<?> DATA_SOURCE = BootTypes.of("jdbc", "DataSourceAutoConfiguration");

	@SuppressWarnings("unchecked")
	private static final Class<Object> DATA_SOURCE_DETAILS = (Class<Object>) BootTypes.of("jdbc",
			"JdbcConnectionDetails");

	private static final String APPLICATION = "spring.datasource.url=jdbc:postgresql://127.0.0.1:1/orders?secret=a";

	private final ApplicationContextRunner alone = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=postgresql", "distributed-lock.shutdown.grace-period=0");

	private final ApplicationContextRunner runner = this.alone.withConfiguration(AutoConfigurations.of(DATA_SOURCE));

	private LockDatabase database(ApplicationContextRunner runner) {
		LockDatabase[] found = new LockDatabase[1];
		runner.withBean("distributedLockStore", LockStore.class, MemoryLockStore::new)
			.run((context) -> found[0] = LockDatabase.of(context.getBean(DistributedLockProperties.class).postgresql(),
					context.getBeanFactory()));
		return found[0];
	}

	@Test
	void databaseWhenNothingIsSaidIsThatOfTheApplication() {
		assertThat(database(this.runner.withPropertyValues(APPLICATION, "spring.datasource.username=u",
				"spring.datasource.password=p")))
			.isEqualTo(new LockDatabase("jdbc:postgresql://127.0.0.1:1/orders?secret=a", "u", "p",
					"org.postgresql.Driver"));
	}

	/** As a container's, by Testcontainers or Docker Compose. */
	@Test
	void databaseWhenABeanHasItsDetailsIsThatOne() {
		assertThat(database(this.runner.withPropertyValues(APPLICATION)
			.withBean("details", DATA_SOURCE_DETAILS, PostgresLockStoreConfigurationTests::details)))
			.isEqualTo(new LockDatabase("jdbc:postgresql://127.0.0.1:2/container", "test", "secret",
					"org.postgresql.Driver"));
	}

	private static Object details() {
		return Proxy.newProxyInstance(DATA_SOURCE_DETAILS.getClassLoader(), new Class<?>[] { DATA_SOURCE_DETAILS },
				(proxy, method, arguments) -> switch (method.getName()) {
					case "getJdbcUrl" -> "jdbc:postgresql://127.0.0.1:2/container";
					case "getUsername" -> "test";
					case "getPassword" -> "secret";
					case "getDriverClassName" -> "org.postgresql.Driver";
					case "hashCode" -> System.identityHashCode(proxy);
					case "equals" -> proxy == arguments[0];
					default -> null;
				});
	}

	/** Spring Boot makes no connection details then. */
	@Test
	void databaseWhenTheApplicationMakesItsPoolIsThatOfItsProperties() {
		assertThat(database(this.runner.withPropertyValues(APPLICATION, "spring.datasource.username=u")
			.withBean(HikariDataSource.class, HikariDataSource::new)))
			.isEqualTo(new LockDatabase("jdbc:postgresql://127.0.0.1:1/orders?secret=a", "u", null, null));
	}

	@Test
	void databaseWhenSaidIsThatOne() {
		assertThat(database(this.runner.withPropertyValues(APPLICATION, "spring.datasource.username=u",
				"distributed-lock.postgresql.url=jdbc:postgresql://locks/db", "distributed-lock.postgresql.username=v",
				"distributed-lock.postgresql.password=p")))
			.isEqualTo(new LockDatabase("jdbc:postgresql://locks/db", "v", "p", null));
	}

	@Test
	void databaseWhenOnlyTheUserIsSaidHasTheAddressOfTheApplication() {
		assertThat(database(this.runner.withPropertyValues(APPLICATION, "spring.datasource.username=u",
				"spring.datasource.password=p", "distributed-lock.postgresql.username=locks",
				"distributed-lock.postgresql.password=q")))
			.isEqualTo(new LockDatabase("jdbc:postgresql://127.0.0.1:1/orders?secret=a", "locks", "q",
					"org.postgresql.Driver"));
	}

	static Stream<Arguments> wrong() {
		return Stream.of(
				arguments("url=postgres://u:secret@host/db", "url=**** is no JDBC address. Write jdbc:postgresql://"),
				arguments("listen-url=host:5432", "listen-url=**** is no JDBC address"),
				arguments("url=jdbc:postgres://host/db?password=secret",
						"no driver on the class path takes the address jdbc:postgres://host/db. Correct it, or add its driver"),
				arguments("table=Locks", "table=Locks cannot work: it must be a name of lower-case letters"),
				arguments("pool-size=1", "pool-size=1 cannot work: it must be between 2 and 4"),
				arguments("idle-before-commit=50ms", "idle-before-commit=50ms cannot work"),
				arguments("pool-size=5", "pool-size=5 cannot work"),
				arguments("command-timeout=0", "command-timeout=0 cannot work"),
				arguments("token-retention=1ms", "token-retention=1ms cannot work"));
	}

	@ParameterizedTest
	@MethodSource("wrong")
	void startWhenAValueCannotWorkSaysWhyWithoutPasswords(String property, String reason) {
		this.runner.withPropertyValues(APPLICATION, "distributed-lock.postgresql." + property)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageContaining(reason)
				.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("secret")));
	}

	@ParameterizedTest
	@CsvSource({ "io.distributedlock.jdbc, lock-jdbc is not on the class path. Add io.distributedlock:lock-jdbc",
			"org.postgresql, the driver of PostgreSQL is not on the class path. Add org.postgresql:postgresql",
			"com.zaxxer.hikari, 'HikariCP is not on the class path. Add com.zaxxer:HikariCP'" })
	void startWhenALibraryIsMissingNamesIt(String missing, String reason) {
		this.alone.withPropertyValues("distributed-lock.postgresql.url=jdbc:postgresql://127.0.0.1:1/db")
			.withClassLoader(new FilteredClassLoader(missing))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageStartingWith("distributed-lock.store=postgresql cannot be had: " + reason));
	}

	@Test
	void startWhenThereIsNoDatabaseNamesTheProperties() {
		this.alone.run((context) -> assertThat(context).getFailure()
			.rootCause()
			.hasMessageStartingWith(
					"distributed-lock.store=postgresql cannot be had: it is not known where the " + "database is")
			.hasMessageContaining("Set spring.datasource.url")
			.hasMessageContaining("distributed-lock.postgresql.url"));
	}

	/** A data source that is made first has a report of Spring Boot. */
	@Test
	void storeWhenTheApplicationHasNoAddressNamesTheProperties() {
		this.runner.withClassLoader(new FilteredClassLoader("org.h2"))
			.withInitializer(
					(context) -> context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
			.run((context) -> assertThatException().isThrownBy(() -> context.getBean(PostgresLockStore.class))
				.withStackTraceContaining(
						"store=postgresql cannot be had: Spring Boot has no address of the database"));
	}

	@Test
	void startWhenThereAreSeveralDatabasesNamesThem() {
		this.runner.withBean("first", DATA_SOURCE_DETAILS, PostgresLockStoreConfigurationTests::details)
			.withBean("second", DATA_SOURCE_DETAILS, PostgresLockStoreConfigurationTests::details)
			.withBean(HikariDataSource.class, HikariDataSource::new)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("there are several databases, [first, second], and none is primary")
				.hasMessageContaining("@Primary"));
	}

	@Test
	void storeWhenTheApplicationHasItsOwnIsThatOne() {
		this.runner.withPropertyValues(APPLICATION)
			.withBean("distributedLockStore", LockStore.class, MemoryLockStore::new)
			.run((context) -> assertThat(context).hasNotFailed()
				.doesNotHaveBean(PostgresLockStore.class)
				.doesNotHaveBean(PostgresLockConnections.class));
	}

	@Test
	void storeWhenAnotherIsChosenOpensNothing() {
		this.runner.withPropertyValues(APPLICATION, "distributed-lock.store=memory")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(PostgresLockConnections.class));
	}

	/** An outage only delays locks, as with the other stores. */
	@Test
	void startWhenTheServerDoesNotAnswerGoesOn() {
		this.alone
			.withPropertyValues("distributed-lock.postgresql.url=jdbc:postgresql://127.0.0.1:1/db",
					"distributed-lock.postgresql.command-timeout=250ms")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(PostgresLockStore.class));
	}

	/** The pool waited as long as a command may, and the attempts had no pause. */
	@Test
	void startWhenCommandsMayTakeLongTakesItsOwnTimeWithPauses() throws IOException {
		AtomicInteger logins = new AtomicInteger();
		try (ServerSocket refusing = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
			Thread door = new Thread(() -> refuse(refusing, logins));
			door.start();
			long start = System.nanoTime();
			this.alone
				.withPropertyValues("distributed-lock.postgresql.url=jdbc:postgresql://127.0.0.1:%d/db"
					.formatted(refusing.getLocalPort()), "distributed-lock.postgresql.command-timeout=60s")
				.run((context) -> assertThat(context).hasNotFailed());
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(40));
		}
		assertThat(logins).hasValueBetween(2, 200);
	}

	private static void refuse(ServerSocket refusing, AtomicInteger logins) {
		try {
			while (true) {
				refusing.accept().close();
				logins.incrementAndGet();
			}
		}
		catch (IOException ignored) {
			// The test has ended.
		}
	}

	@Test
	void startWhenTheServerDoesNotAnswerAndTheTableIsToBeMadeFails() {
		this.alone
			.withPropertyValues("distributed-lock.postgresql.url=jdbc:postgresql://127.0.0.1:1/db",
					"distributed-lock.postgresql.initialize-schema=always")
			.run((context) -> assertThat(context).getFailure()
				.hasStackTraceContaining("The table 'distributed_lock' of the locks cannot be created"));
	}

	/** The store closes them, and there was none. */
	@ParameterizedTest
	@ValueSource(classes = { PostgresLockConnections.class, PostgresLockStore.class })
	void connectionsWhenTheStartEndsEarlyAreClosed(Class<?> last) {
		FailsAfter failure = new FailsAfter(last);
		this.runner.withPropertyValues(APPLICATION)
			.withBean(FailsAfter.class, () -> failure)
			.run((context) -> assertThat(context).hasFailed());
		assertThat(failure.pool).matches(HikariDataSource::isClosed);
	}

	@Test
	void connectionsWhenTheBeanOfTransactionsFailsAreClosed() {
		FailsAfter failure = new FailsAfter(MemoryLockStore.class);
		this.runner.withPropertyValues(APPLICATION)
			.withBean(FailsAfter.class, () -> failure)
			.withBean("transactions", TransactionConnection.class, () -> {
				throw new IllegalStateException("no connections");
			}, (definition) -> definition.setLazyInit(true))
			.run((context) -> assertThat(context).getFailure().hasRootCauseMessage("no connections"));
		assertThat(failure.pool).matches(HikariDataSource::isClosed);
	}

	@Test
	void propertiesWhenShownHaveNoPassword() {
		Postgresql[] found = new Postgresql[1];
		this.runner
			.withPropertyValues("distributed-lock.store=memory", "distributed-lock.postgresql.password=secret",
					"distributed-lock.postgresql.url=jdbc:postgresql://h/d?password=secret")
			.run((context) -> found[0] = context.getBean(DistributedLockProperties.class).postgresql());
		assertThat(found[0].toString()).contains("table=distributed_lock").doesNotContain("secret");
	}

	/** Fails after a bean was made, and keeps the pool of the locks. */
	private static final class FailsAfter implements BeanPostProcessor {

		private final Class<?> last;

		private HikariDataSource pool;

		private FailsAfter(Class<?> last) {
			this.last = last;
		}

		@Override
		public Object postProcessBeforeInitialization(Object bean, String name) {
			if (bean instanceof PostgresLockConnections connections) {
				this.pool = (HikariDataSource) connections.commands();
			}
			if (this.last.isInstance(bean)) {
				throw new IllegalStateException("not after " + name);
			}
			return bean;
		}

	}

}

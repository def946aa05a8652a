package io.distributedlock.autoconfigure;

import java.util.List;
import java.util.Objects;

import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.BeansException;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Address and login of the database with the table of the locks. They are those of the
 * properties for locks, or those that Spring Boot has of the application's data source.
 * Its types are found by name, since they moved in Spring Boot 4.
 *
 * @param url the JDBC address
 * @param username the user, or {@code null} if the address has it
 * @param password the password, or {@code null}
 * @param driver the name of the driver's class, or {@code null} to find it by the address
 */
record LockDatabase(String url, @Nullable String username, @Nullable String password, @Nullable String driver) {

	static final String PREFIX = DistributedLockProperties.PREFIX + ".postgresql.";

	private static final String URL = PREFIX + "url";

	/** The connection details of Spring Boot 4 and of Spring Boot 3. */
	private static final List<String> DETAILS = both("JdbcConnectionDetails");

	/** The properties of the data source, for an application that makes its own one. */
	private static final List<String> PROPERTIES = both("DataSourceProperties");

	private static final String OWN_URL = "Or set " + URL + " for the locks alone";

	private static List<String> both(String type) {
		return List.of(BeansOfBoot.PACKAGE + "jdbc.autoconfigure." + type,
				BeansOfBoot.PACKAGE + "autoconfigure.jdbc." + type);
	}

	/** Return the names of the types of which methods are found by name. */
	static List<String> withMethods() {
		return List.of(DETAILS.get(0), DETAILS.get(1), PROPERTIES.get(0), PROPERTIES.get(1));
	}

	/**
	 * Find the database.
	 * @param settings the properties for locks
	 * @param beanFactory the beans of the application
	 * @throws InvalidLockPropertyException if there is none, or several and none is
	 * primary
	 */
	static LockDatabase of(DistributedLockProperties.Postgresql settings, ConfigurableListableBeanFactory beanFactory) {
		if (settings.url() != null) {
			requireJdbc(URL, settings.url());
			return new LockDatabase(settings.url(), settings.username(), settings.password(), null);
		}
		LockDatabase application = ofApplication(beanFactory);
		return (settings.username() == null && settings.password() == null) ? application
				: application.as(settings.username(), settings.password());
	}

	private LockDatabase as(@Nullable String username, @Nullable String password) {
		return new LockDatabase(this.url, (username != null) ? username : this.username, password, this.driver);
	}

	/** Return the same database at another address, or this if there is none. */
	LockDatabase at(@Nullable String listenUrl) {
		if (listenUrl == null) {
			return this;
		}
		requireJdbc(PREFIX + "listen-url", listenUrl);
		return new LockDatabase(listenUrl, this.username, this.password, this.driver);
	}

	/** Refuse other addresses, such as {@code postgres://user:password@host/database}. */
	private static void requireJdbc(String property, String url) {
		if (!url.startsWith("jdbc:")) {
			throw new InvalidLockPropertyException(property, "****", "is no JDBC address",
					"Write jdbc:postgresql://host:port/database, and user and password in %susername and %spassword"
						.formatted(PREFIX, PREFIX),
					null);
		}
	}

	private static LockDatabase ofApplication(ConfigurableListableBeanFactory beanFactory) {
		try {
			Known details = Known.of(DETAILS, beanFactory);
			Known properties = (details == null) ? Known.of(PROPERTIES, beanFactory) : null;
			if (details != null) {
				return new LockDatabase(Objects.requireNonNull(details.text("getJdbcUrl")), details.text("getUsername"),
						details.text("getPassword"), details.text("getDriverClassName"));
			}
			String url = (properties != null) ? properties.text("getUrl") : null;
			if (properties == null || url == null) {
				throw missing("it is not known where the database is: there are neither connection details of Spring "
						+ "Boot nor spring.datasource.url");
			}
			return new LockDatabase(url, properties.text("getUsername"), properties.text("getPassword"),
					properties.text("getDriverClassName"));
		}
		catch (NoUniqueBeanDefinitionException ex) {
			throw LockStoreTypes.missing(PostgresLockStoreConfiguration.NAME,
					new LockStoreType.Missing(
							"there are several databases, " + ex.getBeanNamesFound() + ", and none is primary",
							"Mark the one with the table of the locks as @Primary. " + OWN_URL));
		}
		catch (BeansException ex) {
			throw missing("Spring Boot has no address of the database: " + ex.getMessage());
		}
	}

	private static InvalidLockPropertyException missing(String problem) {
		return LockStoreTypes.missing(PostgresLockStoreConfiguration.NAME, new LockStoreType.Missing(problem,
				"Set spring.datasource.url, with spring-boot-starter-jdbc on the class path. " + OWN_URL));
	}

	/**
	 * The database as messages have it.
	 * @return the address without its parameters, which may have passwords
	 */
	@Override
	public String toString() {
		int end = this.url.indexOf('?');
		return (end < 0) ? this.url : this.url.substring(0, end);
	}

	/**
	 * A bean whose type is found by name.
	 *
	 * @param type the type, since the class of the bean may be hidden
	 * @param bean the bean
	 */
	private record Known(Class<?> type, Object bean) {

		static @Nullable Known of(List<String> types, ConfigurableListableBeanFactory beanFactory) {
			ClassLoader loader = beanFactory.getBeanClassLoader();
			for (String name : types) {
				if (ClassUtils.isPresent(name, loader)) {
					Class<?> type = ClassUtils.resolveClassName(name, loader);
					Object bean = beanFactory.getBeanProvider(type).getIfAvailable();
					if (bean != null) {
						return new Known(type, bean);
					}
				}
			}
			return null;
		}

		@Nullable String text(String getter) {
			return (String) ReflectionUtils.invokeMethod(ClassUtils.getMethod(this.type, getter), this.bean);
		}

	}

}

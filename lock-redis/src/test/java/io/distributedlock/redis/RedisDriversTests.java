package io.distributedlock.redis;

import java.io.File;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * The choice of the driver where a library is not on the class path. Loading a class that
 * needs the missing library is an error here.
 */
class RedisDriversTests {

	private static final String FACTORIES = "org.springframework.data.redis.connection.";

	@ParameterizedTest
	@CsvSource({ "redis.clients, lettuce.LettuceConnectionFactory, LettuceDriver",
			"io.lettuce, jedis.JedisConnectionFactory, JedisDriver",
			"nothing, lettuce.LettuceConnectionFactory, LettuceDriver",
			"nothing, jedis.JedisConnectionFactory, JedisDriver" })
	void storeWhenOneLibraryIsThereIsMadeWithItsDriver(String missing, String factory, String driver) throws Exception {
		try (ClassPath without = new ClassPath(missing)) {
			Object made = without.loadClass(FACTORIES + factory).getConstructor().newInstance();
			assertThat(without.driverOf(made).getClass().getSimpleName()).isEqualTo(driver);
			without.store(made).close();
		}
	}

	@Test
	void storeWhenNoLibraryIsThereIsMadeWithTheDriverForAnyFactory() throws Exception {
		try (ClassPath without = new ClassPath("io.lettuce", "redis.clients")) {
			Object factory = Proxy.newProxyInstance(without,
					new Class<?>[] { without.loadClass(FACTORIES + "RedisConnectionFactory") },
					(proxy, method, arguments) -> null);
			assertThat(without.driverOf(factory).getClass().getSimpleName()).isEqualTo("SpringDriver");
			without.store(factory).close();
		}
	}

	@Test
	void nodesWhenThereIsNoLettuceAreRefused() throws Exception {
		try (ClassPath without = new ClassPath("io.lettuce")) {
			Method nodes = without.drivers("nodes", int.class, Duration.class);
			assertThatExceptionOfType(InvocationTargetException.class)
				.isThrownBy(() -> nodes.invoke(null, 3, Duration.ofSeconds(1)))
				.withCauseInstanceOf(IllegalStateException.class)
				.havingCause()
				.withMessage("Lettuce is not on the class path");
		}
	}

	/** Has all classes of the test but those of some libraries, and shares none. */
	private static final class ClassPath extends URLClassLoader {

		private final List<String> missing;

		ClassPath(String... missing) {
			super(entries(), ClassLoader.getPlatformClassLoader());
			this.missing = List.of(missing);
		}

		private static URL[] entries() {
			return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
				.map(ClassPath::url)
				.toArray(URL[]::new);
		}

		private static URL url(String entry) {
			try {
				return new File(entry).toURI().toURL();
			}
			catch (MalformedURLException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		@Override
		protected Class<?> findClass(String name) throws ClassNotFoundException {
			if (this.missing.stream().anyMatch(name::startsWith)) {
				throw new ClassNotFoundException(name);
			}
			return super.findClass(name);
		}

		Method drivers(String method, Class<?>... parameters) throws ReflectiveOperationException {
			Method found = loadClass(RedisDrivers.class.getName()).getDeclaredMethod(method, parameters);
			found.setAccessible(true);
			return found;
		}

		Object driverOf(Object factory) throws ReflectiveOperationException {
			return drivers("of", loadClass(FACTORIES + "RedisConnectionFactory")).invoke(null, factory);
		}

		AutoCloseable store(Object factory) throws ReflectiveOperationException {
			Class<?> settings = loadClass(RedisStoreSettings.class.getName());
			return (AutoCloseable) loadClass(RedisLockStore.class.getName())
				.getConstructor(loadClass(FACTORIES + "RedisConnectionFactory"), settings)
				.newInstance(factory, settings.getField("DEFAULTS").get(null));
		}

	}

}

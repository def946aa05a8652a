package io.distributedlock.autoconfigure;

import java.util.stream.Stream;

import io.distributedlock.interceptor.internal.LockCallRoot;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.util.ClassUtils;

/**
 * Keeps in a native image the parts that are found by name only. These are the scripts of
 * the Redis store and guard, and the methods of {@code #root} for expressions. The
 * drivers need the field of Lettuce's connection factory with the address of Redis, and
 * the settings of Jedis, which the locks wrap in a proxy, and the TLS of the application
 * where its locks use Jedis. The store in PostgreSQL needs the details of the
 * application's data source.
 */
final class LockRuntimeHints implements RuntimeHintsRegistrar {

	private static final String JEDIS_SETTINGS = "org.springframework.data.redis.connection.jedis.JedisClientConfiguration";

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		hints.resources().registerPattern("io/distributedlock/redis/*.lua");
		hints.resources().registerPattern("io/distributedlock/guard/redis/*.lua");
		hints.reflection().registerType(LockCallRoot.class, MemberCategory.INVOKE_PUBLIC_METHODS);
		hints.reflection()
			.registerTypeIfPresent(classLoader,
					"org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory",
					(factory) -> factory.withField("configuration"));
		Stream.concat(JedisForLocks.withMethods(), LockDatabase.withMethods().stream())
			.forEach((type) -> hints.reflection()
				.registerTypeIfPresent(classLoader, type, MemberCategory.INVOKE_PUBLIC_METHODS));
		JedisForLocks.named().forEach((type) -> hints.reflection().registerTypeIfPresent(classLoader, type));
		if (ClassUtils.isPresent(JEDIS_SETTINGS, classLoader)) {
			TypeReference settings = TypeReference.of(JEDIS_SETTINGS);
			hints.proxies().registerJdkProxy(settings);
			hints.reflection().registerType(settings, MemberCategory.INVOKE_PUBLIC_METHODS);
		}
	}

}

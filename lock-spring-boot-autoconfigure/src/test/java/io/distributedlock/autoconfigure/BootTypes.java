package io.distributedlock.autoconfigure;

import java.lang.invoke.MethodHandleProxies;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

import org.springframework.util.ClassUtils;

/**
 * Types of Spring Boot that had another name before version 4. Tests that name them here
 * run on both.
 */
public final class BootTypes {

	private static final String PACKAGE = "org.springframework.boot.";

	/** The auto-configuration of Redis. */
	public static final Class<?> REDIS = either("data.redis.autoconfigure.DataRedisAutoConfiguration",
			"autoconfigure.data.redis.RedisAutoConfiguration");

	/** The connection details of Redis. */
	static final Class<?> REDIS_DETAILS = either("data.redis.autoconfigure.DataRedisConnectionDetails",
			"autoconfigure.data.redis.RedisConnectionDetails");

	private BootTypes() {
	}

	/**
	 * A type that is in another package, or has another name.
	 * @param name the name in version 4, without the package of Spring Boot
	 * @param before the name in version 3
	 * @return the type of the version that is there
	 */
	public static Class<?> either(String name, String before) {
		ClassLoader loader = BootTypes.class.getClassLoader();
		return ClassUtils.resolveClassName(PACKAGE + (ClassUtils.isPresent(PACKAGE + name, loader) ? name : before),
				loader);
	}

	/**
	 * A type that has kept its name.
	 * @param technology the package of what it is for, such as {@code jdbc}
	 * @param name the simple name
	 * @return the type of the version that is there
	 */
	public static Class<?> of(String technology, String name) {
		return either(technology + ".autoconfigure." + name, "autoconfigure." + technology + '.' + name);
	}

	/**
	 * A customizer that changes nothing.
	 * @param type an interface with one method
	 * @return an instance
	 */
	static <T> T customizer(Class<T> type) {
		return MethodHandleProxies.asInterfaceInstance(type,
				MethodHandles.empty(MethodType.methodType(void.class, Object.class)));
	}

}

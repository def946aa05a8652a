package io.distributedlock.redis;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Arrays;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisScriptingCommands;

/**
 * Makes two servers look like one: a script goes to the server of its first key, as
 * behind Twemproxy.
 */
final class ScatteringProxy {

	private ScatteringProxy() {
	}

	static RedisConnectionFactory of(RedisConnectionFactory one, RedisConnectionFactory other) {
		return proxy(RedisConnectionFactory.class, one, (method, arguments) -> method.getName().equals("getConnection")
				? connection(one.getConnection(), other.getConnection()) : null);
	}

	private static RedisConnection connection(RedisConnection one, RedisConnection other) {
		return proxy(RedisConnection.class, one, (method, arguments) -> switch (method.getName()) {
			case "scriptingCommands" -> scripts(one.scriptingCommands(), other.scriptingCommands());
			case "close" -> {
				other.close();
				yield null;
			}
			default -> null;
		});
	}

	private static RedisScriptingCommands scripts(RedisScriptingCommands one, RedisScriptingCommands other) {
		return proxy(RedisScriptingCommands.class, one, (method, arguments) -> {
			if (!method.getName().startsWith("eval")) {
				return null;
			}
			byte[] firstKey = ((byte[][]) arguments[3])[0];
			return method.invoke((Arrays.hashCode(firstKey) % 2 == 0) ? one : other, arguments);
		});
	}

	/** Calls that the handler has no answer for go to the first server. */
	private static <T> T proxy(Class<T> type, T first, Handler handler) {
		InvocationHandler invocations = (proxy, method, arguments) -> {
			try {
				Object answer = handler.handle(method, arguments);
				return (answer != null) ? answer : method.invoke(first, arguments);
			}
			catch (InvocationTargetException ex) {
				throw ex.getCause();
			}
		};
		return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] { type }, invocations));
	}

	/** Answers a call, or leaves it. */
	@FunctionalInterface
	private interface Handler {

		Object handle(Method method, Object[] arguments) throws ReflectiveOperationException;

	}

}

package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;

import io.distributedlock.LockOptions;
import org.jspecify.annotations.Nullable;

/**
 * The declaration of one lock of a method, before placeholders are resolved and the
 * configuration is merged in. Immutable. Empty strings are not set.
 *
 * @param source the method that carries the declaration, maybe of an interface, or
 * {@code null} where a class or interface carries it
 * @param subject the lock
 * @param times the durations
 * @param options all other options; its durations are not read
 * @param fallback the name of the method to call while the lock is busy
 * @param tokens the parameters that receive a fencing token
 * @since 0.1.0
 */
public record LockDeclaration(@Nullable Method source, Subject subject, Times times, LockOptions options,
		String fallback, List<TokenParameter> tokens) {

	public LockDeclaration {
		tokens = List.copyOf(tokens);
	}

	/**
	 * The lock.
	 *
	 * @param keys SpEL expressions, none for the method itself
	 * @param name the namespace
	 * @param condition SpEL expression, empty to lock for each call
	 * @param registry the bean name of the registry
	 */
	public record Subject(List<String> keys, String name, String condition, String registry) {

		public Subject {
			keys = List.copyOf(keys);
		}

	}

	/**
	 * How long the lock is waited for and held, as text that may have placeholders.
	 *
	 * @param ttl how long the lock outlives a holder that died
	 * @param waitFor total budget for getting the lock
	 * @param maxHold when renewal stops
	 * @param keepFor how long the lock stays taken at least
	 */
	public record Times(String ttl, String waitFor, String maxHold, String keepFor) {
	}

	/**
	 * A parameter that receives a fencing token.
	 *
	 * @param index the index of the parameter
	 * @param key SpEL expression for the key whose token is meant, empty for the only one
	 */
	public record TokenParameter(int index, String key) {
	}

}

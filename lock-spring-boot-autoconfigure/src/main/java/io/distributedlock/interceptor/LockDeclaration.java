package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenLost;
import io.distributedlock.WhenUnavailable;
import org.jspecify.annotations.Nullable;

/**
 * What was written on a method about its lock, word for word. Immutable. Empty strings
 * and {@code DEFAULT} are what was not said.
 *
 * @param source the method that carries the declaration, maybe of an interface, or
 * {@code null} where a class or interface carries it
 * @param subject what is locked
 * @param times the durations
 * @param kind what kind of lock it is
 * @param policies what happens if something goes wrong
 * @param tokens the parameters that receive a fencing token
 * @since 0.1.0
 */
public record LockDeclaration(@Nullable Method source, Subject subject, Times times, Kind kind, Policies policies,
		List<TokenParameter> tokens) {

	public LockDeclaration {
		tokens = List.copyOf(tokens);
	}

	/**
	 * What is locked.
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
	 * How long the lock is waited for and held. Durations are text.
	 *
	 * @param ttl how long the lock outlives a holder that died
	 * @param waitFor total budget for getting the lock
	 * @param maxHold when renewal stops
	 * @param keepFor how long the lock stays taken at least
	 * @param renew whether to renew, {@code null} if not said
	 */
	public record Times(String ttl, String waitFor, String maxHold, String keepFor, @Nullable Boolean renew) {
	}

	/**
	 * What kind of lock it is.
	 *
	 * @param mode the mode
	 * @param permits the limit of a semaphore, zero if not said
	 */
	public record Kind(LockMode mode, int permits) {
	}

	/**
	 * What happens if something goes wrong.
	 *
	 * @param whenBusy when the lock stays taken
	 * @param fallback the name of the method to call instead
	 * @param whenLost when the lease is lost
	 * @param whenUnavailable when the store cannot be asked
	 */
	public record Policies(WhenBusy whenBusy, String fallback, WhenLost whenLost, WhenUnavailable whenUnavailable) {
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

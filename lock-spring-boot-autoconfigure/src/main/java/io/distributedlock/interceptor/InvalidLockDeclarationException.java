package io.distributedlock.interceptor;

import java.lang.reflect.Method;

import io.distributedlock.LockException;
import io.distributedlock.interceptor.expression.MethodNames;
import org.jspecify.annotations.Nullable;

/**
 * A method is declared to be guarded in a way that cannot work. Thrown while the proxy of
 * its bean is built, so it stops the start of the application.
 *
 * @since 0.1.0
 */
public class InvalidLockDeclarationException extends LockException {

	private final Class<?> targetClass;

	private final Method method;

	private final String problem;

	private final String remedy;

	/**
	 * Create the exception.
	 * @param targetClass the class of the bean
	 * @param method the guarded method
	 * @param problem the problem, without a full stop
	 * @param remedy the remedy, without a full stop
	 */
	public InvalidLockDeclarationException(Class<?> targetClass, Method method, String problem, String remedy) {
		this(targetClass, method, problem, remedy, null);
	}

	/**
	 * Create the exception with a cause.
	 * @param targetClass the class of the bean
	 * @param method the guarded method
	 * @param problem the problem, without a full stop
	 * @param remedy the remedy, without a full stop
	 * @param cause the failure behind it
	 */
	public InvalidLockDeclarationException(Class<?> targetClass, Method method, String problem, String remedy,
			@Nullable Throwable cause) {
		super("%s cannot be guarded by a lock: %s. %s.".formatted(MethodNames.of(targetClass, method), problem, remedy),
				cause);
		this.targetClass = targetClass;
		this.method = method;
		this.problem = problem;
		this.remedy = remedy;
	}

	/**
	 * The class of the bean.
	 * @return the class, which may inherit the method
	 */
	public Class<?> getTargetClass() {
		return this.targetClass;
	}

	/**
	 * The guarded method.
	 * @return the method
	 */
	public Method getMethod() {
		return this.method;
	}

	/**
	 * The problem, with class and method.
	 * @return a sentence
	 */
	public String getDescription() {
		return "%s cannot be guarded by a lock: %s.".formatted(MethodNames.of(this.targetClass, this.method),
				this.problem);
	}

	/**
	 * The remedy.
	 * @return a sentence
	 */
	public String getRemedy() {
		return this.remedy + ".";
	}

}

package io.distributedlock.interceptor;

import java.lang.reflect.Method;

import io.distributedlock.LockException;
import io.distributedlock.interceptor.internal.MethodNames;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the declaration of a guarded method cannot work. This happens while beans
 * are created and checked, so it stops the start of the application.
 *
 * @since 0.1.0
 */
public class InvalidLockDeclarationException extends LockException {

	private final String description;

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

	InvalidLockDeclarationException(Class<?> targetClass, Method method, String problem, String remedy,
			@Nullable Throwable cause) {
		this("%s cannot be guarded by a lock: %s.".formatted(MethodNames.of(targetClass, method), problem),
				remedy + ".", cause);
	}

	private InvalidLockDeclarationException(String description, String remedy, @Nullable Throwable cause) {
		super(description + " " + remedy, cause);
		this.description = description;
		this.remedy = remedy;
	}

	/**
	 * The problem, with class and method.
	 * @return a sentence
	 */
	public String getDescription() {
		return this.description;
	}

	/**
	 * The remedy.
	 * @return a sentence
	 */
	public String getRemedy() {
		return this.remedy;
	}

}

package io.distributedlock;

import org.jspecify.annotations.Nullable;

/**
 * A key or condition of a guarded method could not be evaluated for a call, or yielded no
 * value that can be locked. The method has not run.
 *
 * @since 0.1.0
 */
public class LockKeyException extends LockException {

	/**
	 * Create the exception.
	 * @param method class and method
	 * @param expression the expression
	 * @param problem the problem with its value
	 * @param cause the failure of the evaluation
	 */
	public LockKeyException(String method, String expression, String problem, @Nullable Throwable cause) {
		super("Lock expression \"%s\" of %s %s; the method was not run".formatted(expression, method, problem), cause);
	}

}

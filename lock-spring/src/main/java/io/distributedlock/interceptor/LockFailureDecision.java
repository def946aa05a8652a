package io.distributedlock.interceptor;

import org.jspecify.annotations.Nullable;

/**
 * The decision about a guarded call that could not get its lock. Immutable.
 *
 * @since 0.1.0
 */
public final class LockFailureDecision {

	private final Kind kind;

	private final @Nullable Object value;

	private LockFailureDecision(Kind kind, @Nullable Object value) {
		this.kind = kind;
		this.value = value;
	}

	/**
	 * Leave the decision to the next handler, or to the configuration.
	 * @return the decision
	 */
	public static LockFailureDecision defer() {
		return new LockFailureDecision(Kind.DEFER, null);
	}

	/**
	 * Throw the cause.
	 * @return the decision
	 */
	public static LockFailureDecision rethrow() {
		return new LockFailureDecision(Kind.RETHROW, null);
	}

	/**
	 * Return an empty result. A method whose result cannot be empty throws the cause.
	 * @return the decision
	 */
	public static LockFailureDecision skip() {
		return new LockFailureDecision(Kind.SKIP, null);
	}

	/**
	 * Run the method without its lock, which is logged and published. Only in an outage
	 * and without a parameter for the fencing token. Otherwise the cause is thrown.
	 * @return the decision
	 */
	public static LockFailureDecision proceed() {
		return new LockFailureDecision(Kind.PROCEED, null);
	}

	/**
	 * Return this value instead. For a future or a reactive result it may be the value to
	 * come, or another stage or reactive type that yields it.
	 * @param value a value that the method can return
	 * @return the decision
	 */
	public static LockFailureDecision result(@Nullable Object value) {
		return new LockFailureDecision(Kind.RESULT, value);
	}

	Kind kind() {
		return this.kind;
	}

	@Nullable Object value() {
		return this.value;
	}

	/** The kinds of decisions. */
	enum Kind {

		DEFER, RETHROW, SKIP, PROCEED, RESULT

	}

}

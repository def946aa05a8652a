package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;

import io.distributedlock.LockOptions;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import org.jspecify.annotations.Nullable;

/**
 * How a method is guarded: parsed and checked once, immutable, with the configuration
 * merged in. Each call makes a {@link LockRequest} of it.
 *
 * @since 0.1.0
 */
public final class MethodLockSpec {

	private final Method method;

	private final Class<?> targetClass;

	private final String name;

	private final String registry;

	private final LockOptions options;

	private final boolean busyOpen;

	private final boolean unavailableOpen;

	private final LockKeys keys;

	private final @Nullable LockExpression condition;

	private final TokenParameters tokens;

	private final ResultKind resultKind;

	private final @Nullable FallbackMethod fallback;

	private final @Nullable MethodLockSpec inner;

	MethodLockSpec(Method method, Class<?> targetClass, String name, String registry,
			LockOptionsResolver.Resolved resolved, Expressions expressions, Results results,
			@Nullable MethodLockSpec inner) {
		this.method = method;
		this.targetClass = targetClass;
		this.name = name;
		this.registry = registry;
		this.options = resolved.options();
		this.busyOpen = resolved.busyOpen();
		this.unavailableOpen = resolved.unavailableOpen();
		this.keys = expressions.keys();
		this.condition = expressions.condition();
		this.tokens = expressions.tokens();
		this.resultKind = results.kind();
		this.fallback = results.fallback();
		this.inner = inner;
	}

	/**
	 * The guarded method.
	 * @return the method of the target class
	 */
	public Method method() {
		return this.method;
	}

	/**
	 * The class of the bean.
	 * @return the class without proxies
	 */
	public Class<?> targetClass() {
		return this.targetClass;
	}

	/**
	 * The namespace of the keys.
	 * @return the name, maybe empty
	 */
	public String name() {
		return this.name;
	}

	/**
	 * The bean name of the registry.
	 * @return the bean name, empty for the only or primary one
	 */
	public String registry() {
		return this.registry;
	}

	/**
	 * The options, configuration included.
	 * @return options in which only {@code maxHold} may be {@code null}
	 */
	public LockOptions options() {
		return this.options;
	}

	/**
	 * Whether the method is locked as itself, by its class, name and parameter types.
	 * @return {@code false} if it has keys
	 */
	public boolean isKeyedByMethod() {
		return this.keys.areMethodItself();
	}

	/**
	 * The next lock of a method that has several by repeated declarations.
	 * @return the lock to take inside this one, or {@code null} if this is the last one
	 */
	public @Nullable MethodLockSpec inner() {
		return this.inner;
	}

	List<String> keyExpressions() {
		return this.keys.texts();
	}

	List<String> literalKeys() {
		return this.keys.literals();
	}

	@Nullable String conditionText() {
		return (this.condition != null) ? this.condition.text() : null;
	}

	@Nullable String fallbackName() {
		FallbackMethod method = fallbackWhenBusy();
		return (method != null) ? method.name() : null;
	}

	boolean appliesTo(LockCallRoot call) {
		return this.condition == null || this.condition.isTrue(call);
	}

	LockRequest request(LockCallRoot call) {
		return LockRequest.of(this.keys.resolve(call)).name(this.name).options(this.options);
	}

	TokenParameters tokens() {
		return this.tokens;
	}

	ResultKind resultKind() {
		return this.resultKind;
	}

	/** Whether it is up to handlers what happens when the lock is busy. */
	boolean isBusyOpen() {
		return this.busyOpen;
	}

	/** Whether it is up to handlers what happens when the store cannot be reached. */
	boolean isUnavailableOpen() {
		return this.unavailableOpen;
	}

	boolean skipsWhenBusy() {
		return this.options.whenBusy() == WhenBusy.SKIP;
	}

	boolean skipsWhenUnavailable() {
		return this.options.whenUnavailable() == WhenUnavailable.SKIP;
	}

	boolean proceedsWhenUnavailable() {
		return this.options.whenUnavailable() == WhenUnavailable.PROCEED;
	}

	boolean canBeEmpty() {
		return this.resultKind.emptyResult() != null;
	}

	@Nullable Object emptyResult() {
		return Objects.requireNonNull(this.resultKind.emptyResult()).get();
	}

	@Nullable FallbackMethod fallbackWhenBusy() {
		return (this.options.whenBusy() == WhenBusy.FALLBACK) ? this.fallback : null;
	}

	@Override
	public String toString() {
		return MethodNames.of(this.targetClass, this.method);
	}

	/**
	 * What is evaluated for each call.
	 *
	 * @param keys the keys
	 * @param condition whether to lock at all
	 * @param tokens the parameters that receive tokens
	 */
	record Expressions(LockKeys keys, @Nullable LockExpression condition, TokenParameters tokens) {
	}

	/**
	 * What a call can return.
	 *
	 * @param kind when the method is done
	 * @param fallback the method to call instead
	 */
	record Results(ResultKind kind, @Nullable FallbackMethod fallback) {
	}

}

package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;

import io.distributedlock.LockOptions;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.interceptor.expression.KeyExpressions;
import io.distributedlock.interceptor.expression.LockCallRoot;
import io.distributedlock.interceptor.expression.LockExpression;
import io.distributedlock.interceptor.expression.MethodNames;
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

	private final Subject subject;

	private final LockOptionsResolver.Resolved resolved;

	private final Body body;

	private final @Nullable MethodLockSpec inner;

	MethodLockSpec(Method method, Class<?> targetClass, Subject subject, LockOptionsResolver.Resolved resolved,
			Body body, @Nullable MethodLockSpec inner) {
		this.method = method;
		this.targetClass = targetClass;
		this.subject = subject;
		this.resolved = resolved;
		this.body = body;
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
		return this.subject.name();
	}

	/**
	 * The bean name of the registry.
	 * @return the bean name, empty for the only or primary one
	 */
	public String registry() {
		return this.subject.registry();
	}

	/**
	 * The options, configuration included.
	 * @return options in which only {@code maxHold} may be {@code null}
	 */
	public LockOptions options() {
		return this.resolved.options();
	}

	/**
	 * Whether the method is locked as itself, by its class, name and parameter types.
	 * @return {@code false} if it has keys
	 */
	public boolean isKeyedByMethod() {
		return this.subject.keys().areMethodItself();
	}

	/**
	 * The next lock of a method that has several by repeated declarations.
	 * @return the lock to take inside this one, or {@code null} if this is the last one
	 */
	public @Nullable MethodLockSpec inner() {
		return this.inner;
	}

	List<String> keyExpressions() {
		return this.subject.keys().texts();
	}

	List<String> literalKeys() {
		return this.subject.keys().literals();
	}

	@Nullable String conditionText() {
		LockExpression condition = this.subject.condition();
		return (condition != null) ? condition.text() : null;
	}

	@Nullable String fallbackName() {
		FallbackMethod method = fallbackWhenBusy();
		return (method != null) ? method.name() : null;
	}

	boolean appliesTo(LockCallRoot call) {
		LockExpression condition = this.subject.condition();
		return condition == null || condition.isTrue(call);
	}

	LockRequest request(LockCallRoot call) {
		return LockRequest.of(this.subject.keys().resolve(call)).name(name()).options(options());
	}

	TokenParameters tokens() {
		return this.body.tokens();
	}

	ResultKind resultKind() {
		return this.body.kind();
	}

	/** Whether it is up to handlers what happens when the lock is busy. */
	boolean isBusyOpen() {
		return this.resolved.busyOpen();
	}

	/** Whether it is up to handlers what happens when the store cannot be reached. */
	boolean isUnavailableOpen() {
		return this.resolved.unavailableOpen();
	}

	boolean skipsWhenBusy() {
		return options().whenBusy() == WhenBusy.SKIP;
	}

	boolean skipsWhenUnavailable() {
		return options().whenUnavailable() == WhenUnavailable.SKIP;
	}

	boolean proceedsWhenUnavailable() {
		return options().whenUnavailable() == WhenUnavailable.PROCEED;
	}

	boolean canBeEmpty() {
		return this.body.kind().emptyResult() != null;
	}

	@Nullable Object emptyResult() {
		return Objects.requireNonNull(this.body.kind().emptyResult()).get();
	}

	@Nullable FallbackMethod fallbackWhenBusy() {
		return (options().whenBusy() == WhenBusy.FALLBACK) ? this.body.fallback() : null;
	}

	@Override
	public String toString() {
		return MethodNames.of(this.targetClass, this.method);
	}

	/**
	 * What is locked.
	 *
	 * @param name the namespace of the keys
	 * @param registry the bean name of the registry
	 * @param keys the keys
	 * @param condition whether to lock at all
	 */
	record Subject(String name, String registry, KeyExpressions keys, @Nullable LockExpression condition) {
	}

	/**
	 * What runs under the lock.
	 *
	 * @param kind when the method is done
	 * @param tokens the parameters that receive tokens
	 * @param fallback the method to call instead
	 */
	record Body(ResultKind kind, TokenParameters tokens, @Nullable FallbackMethod fallback) {
	}

}

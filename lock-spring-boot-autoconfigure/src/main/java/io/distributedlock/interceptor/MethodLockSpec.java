package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;

import io.distributedlock.LockOptions;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenBusy;
import io.distributedlock.interceptor.expression.KeyExpressions;
import io.distributedlock.interceptor.expression.LockCallRoot;
import io.distributedlock.interceptor.expression.LockExpression;
import io.distributedlock.interceptor.expression.MethodNames;
import org.jspecify.annotations.Nullable;

/**
 * One lock of a guarded method: parsed and checked once, immutable, with the
 * configuration merged in. Each call makes a {@link LockRequest} of it.
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
	 * @return options in which only {@code maxHold} and {@code permits} may be
	 * {@code null}
	 */
	public LockOptions options() {
		return this.resolved.options();
	}

	/**
	 * The expressions of the keys, placeholders resolved.
	 * @return none if the method is locked as itself, by its class, name and parameter
	 * types
	 */
	public List<String> keyExpressions() {
		return this.subject.keys().texts();
	}

	/**
	 * The expression that decides whether a call takes the lock.
	 * @return the expression, or {@code null} if every call takes it
	 */
	public @Nullable String condition() {
		LockExpression condition = this.subject.condition();
		return (condition != null) ? condition.text() : null;
	}

	/**
	 * The method that is called while the lock is busy.
	 * @return the name of the method, or {@code null} if none is called
	 */
	public @Nullable String fallback() {
		FallbackMethod method = fallbackMethod();
		return (method != null) ? method.name() : null;
	}

	/**
	 * The next lock of a method that has several by repeated declarations.
	 * @return the lock to take inside this one, or {@code null} if this is the last one
	 */
	public @Nullable MethodLockSpec inner() {
		return this.inner;
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

	/** Whether handlers decide what happens while the lock is busy. */
	boolean isBusyOpen() {
		return this.resolved.busyOpen();
	}

	/** Whether handlers decide what happens while the store cannot be reached. */
	boolean isUnavailableOpen() {
		return this.resolved.unavailableOpen();
	}

	@Nullable FallbackMethod fallbackMethod() {
		return (options().whenBusy() == WhenBusy.FALLBACK) ? this.body.fallback() : null;
	}

	/** The method with class and parameter types. */
	@Override
	public String toString() {
		return MethodNames.of(this.targetClass, this.method);
	}

	/**
	 * The lock.
	 *
	 * @param name the namespace of the keys
	 * @param registry the bean name of the registry
	 * @param keys the keys
	 * @param condition whether to lock at all
	 */
	record Subject(String name, String registry, KeyExpressions keys, @Nullable LockExpression condition) {
	}

	/**
	 * The body that runs under the lock.
	 *
	 * @param kind when the method is done
	 * @param tokens the parameters that receive tokens
	 * @param fallback the method to call instead
	 */
	record Body(ResultKind kind, TokenParameters tokens, @Nullable FallbackMethod fallback) {
	}

}

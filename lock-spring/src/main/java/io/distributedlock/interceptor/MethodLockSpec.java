package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.Lease;
import io.distributedlock.LockKeyException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.TemplateLease;
import io.distributedlock.WhenBusy;
import io.distributedlock.interceptor.internal.LockExpression;
import io.distributedlock.interceptor.internal.MethodNames;
import org.jspecify.annotations.Nullable;

/**
 * A lock of a guarded method: parsed and checked once, immutable, with the configuration
 * merged in. Each call makes a {@link LockRequest} of it.
 *
 * @since 0.1.0
 */
public final class MethodLockSpec {

	private final Method method;

	private final Class<?> targetClass;

	private final List<LockExpression> keys;

	private final @Nullable LockExpression condition;

	/** The request of a method without keys; all others share its name and options. */
	private final LockRequest methodItself;

	private final String registry;

	private final LockOptionsResolver.Resolved resolved;

	private final ResultKind kind;

	private final Supplier<LockTemplate> template;

	private final List<TokenParameter> tokens;

	private final @Nullable FallbackMethod fallback;

	private final @Nullable MethodLockSpec inner;

	MethodLockSpec(Method method, Class<?> targetClass, LockOptionsResolver.Resolved resolved, Parts parts,
			Supplier<LockTemplate> template, @Nullable MethodLockSpec inner) {
		this.method = method;
		this.targetClass = targetClass;
		this.keys = parts.keys();
		this.condition = parts.condition();
		this.methodItself = TemplateLease
			.request(LockRequest.of(resolved.name(), toString()).options(resolved.options()), null);
		this.registry = parts.registry();
		this.resolved = resolved;
		this.kind = parts.kind();
		this.template = template;
		this.tokens = parts.tokens();
		this.fallback = parts.fallback();
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
		return this.methodItself.name();
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
	 * @return options in which only {@code maxHold} and {@code permits} may be
	 * {@code null}
	 */
	public LockOptions options() {
		return this.methodItself.options();
	}

	/**
	 * The expressions of the keys, placeholders resolved.
	 * @return none if the lock is on the method itself, by its class, name and parameter
	 * types
	 */
	public List<String> keyExpressions() {
		return this.keys.stream().map(LockExpression::text).toList();
	}

	/**
	 * The next lock of a method that has several by repeated annotations.
	 * @return the lock to take inside this one, or {@code null} if this is the last one
	 */
	public @Nullable MethodLockSpec inner() {
		return this.inner;
	}

	boolean appliesTo(Object target, @Nullable Object[] arguments) {
		return this.condition == null || this.condition.isTrue(target, arguments);
	}

	/**
	 * The complete request of a call. Its owner is the thread that waits. A subscription
	 * gets an owner of its own later.
	 */
	LockRequest request(Object target, @Nullable Object[] arguments) {
		List<String> keys = keys(target, arguments);
		Object owner = (this.kind instanceof ReactiveResultKind) ? null : Thread.currentThread();
		try {
			return this.methodItself.with(keys, owner);
		}
		catch (IllegalArgumentException ex) {
			throw new LockKeyException(toString(), String.join("\", \"", keyExpressions()),
					"yields too many keys: " + ex.getMessage(), ex);
		}
	}

	private List<String> keys(Object target, @Nullable Object[] arguments) {
		if (this.keys.size() == 1) {
			return this.keys.get(0).keys(target, arguments);
		}
		if (this.keys.isEmpty()) {
			return this.methodItself.keys();
		}
		List<String> all = new ArrayList<>();
		this.keys.forEach((expression) -> all.addAll(expression.keys(target, arguments)));
		return all;
	}

	/**
	 * Return whether a parameter receives the token that several keys have in common, if
	 * they have one.
	 * @return {@code false} also if one expression may yield several keys
	 */
	public boolean needsCommonToken() {
		return this.keys.size() > 1 && this.tokens.stream().anyMatch(TokenParameter::isCommon);
	}

	boolean hasTokens() {
		return !this.tokens.isEmpty();
	}

	void clearTokens(@Nullable Object[] arguments) {
		for (int i = 0; i < this.tokens.size(); i++) {
			this.tokens.get(i).clear(arguments);
		}
	}

	void injectTokens(Object target, @Nullable Object[] arguments, Lease lease) {
		for (int i = 0; i < this.tokens.size(); i++) {
			this.tokens.get(i).inject(target, arguments, lease);
		}
	}

	ResultKind resultKind() {
		return this.kind;
	}

	/** The template that takes the lock on the calling thread. */
	LockTemplate template() {
		return this.template.get();
	}

	/** Return whether handlers decide about a busy lock. */
	boolean isBusyOpen() {
		return this.resolved.busyOpen();
	}

	/** Return whether handlers decide about a store that cannot be reached. */
	boolean isUnavailableOpen() {
		return this.resolved.unavailableOpen();
	}

	@Nullable FallbackMethod fallback() {
		return (options().whenBusy() == WhenBusy.FALLBACK) ? this.fallback : null;
	}

	/** The method with class and parameter types. */
	@Override
	public String toString() {
		return MethodNames.of(this.targetClass, this.method);
	}

	/**
	 * The parts of a declaration besides the options.
	 *
	 * @param registry the bean name of the registry
	 * @param keys the keys, none for the method itself
	 * @param condition decides about the lock for each call, {@code null} for always
	 * @param kind the kind of result, which determines the end of a call
	 * @param tokens the parameters that receive tokens
	 * @param fallback the method to call while the lock is busy
	 */
	record Parts(String registry, List<LockExpression> keys, @Nullable LockExpression condition, ResultKind kind,
			List<TokenParameter> tokens, @Nullable FallbackMethod fallback) {
	}

}

package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.StringUtils;

/** Makes the specification of a method from its declaration, or says what is wrong. */
final class MethodLockSpecFactory {

	private final ConfigurableListableBeanFactory beanFactory;

	private final LockExpressionParser expressions;

	private final LockOptionsResolver options;

	private final RegistryCheck registries;

	MethodLockSpecFactory(ConfigurableListableBeanFactory beanFactory, Supplier<LockProfiles> profiles) {
		this.beanFactory = beanFactory;
		this.expressions = new LockExpressionParser(beanFactory, beanFactory.getBeanClassLoader());
		this.options = new LockOptionsResolver(profiles, this::resolvePlaceholders);
		this.registries = new RegistryCheck(beanFactory);
	}

	MethodLockSpec create(LockDeclaration declaration, Method method, Class<?> targetClass) {
		try {
			return createChecked(declaration, method, targetClass);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockDeclarationException(targetClass, method, String.valueOf(ex.getMessage()),
					"Correct the declaration, or distributed-lock.* in the configuration", ex);
		}
	}

	private MethodLockSpec createChecked(LockDeclaration declaration, Method method, Class<?> targetClass) {
		String name = resolvePlaceholders(declaration.name());
		String registry = resolvePlaceholders(declaration.registry());
		this.registries.check(registry, method, targetClass);
		ResolvableType type = ResolvableType.forMethodReturnType(method, targetClass);
		ResultKind kind = ResultKinds.of(method, targetClass, type.resolve(method.getReturnType()));
		Supplier<@Nullable Object> empty = kind.emptyResult(type);
		LockOptions resolved = this.options.resolve(name, declaration, empty != null);
		if (empty == null) {
			refuseSkip(resolved, type, method, targetClass);
		}
		FallbackMethod fallback = fallback(declaration, resolved, method, targetClass);
		return new MethodLockSpec(method, targetClass, name, registry, resolved,
				expressions(declaration, method, targetClass), new MethodLockSpec.Results(kind, empty, fallback));
	}

	private static void refuseSkip(LockOptions options, ResolvableType type, Method method, Class<?> targetClass) {
		boolean busy = options.whenBusy() == WhenBusy.SKIP;
		if (busy || options.whenUnavailable() == WhenUnavailable.SKIP) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"%s is SKIP, but its result of type %s cannot be empty"
						.formatted(busy ? "whenBusy" : "whenUnavailable", type),
					"Return void, Optional, or a future of Void or Optional, or use THROW"
							+ (busy ? " or FALLBACK" : ""));
		}
	}

	private static @Nullable FallbackMethod fallback(LockDeclaration declaration, LockOptions options, Method method,
			Class<?> targetClass) {
		String name = declaration.policies().fallback();
		if (StringUtils.hasText(name)) {
			return FallbackMethod.find(name, method, targetClass);
		}
		if (options.whenBusy() == WhenBusy.FALLBACK) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"whenBusy is FALLBACK, but there is no fallback method",
					"Name a method of the same class with the attribute fallback");
		}
		return null;
	}

	private MethodLockSpec.Expressions expressions(LockDeclaration declaration, Method method, Class<?> targetClass) {
		ParameterNames names = new ParameterNames(method, declaration.source());
		List<LockExpression> keys = declaration.keys()
			.stream()
			.map((key) -> this.expressions.parse(resolvePlaceholders(key), method, targetClass, names))
			.toList();
		String condition = resolvePlaceholders(declaration.condition());
		return new MethodLockSpec.Expressions(new LockKeys(keys, MethodNames.of(targetClass, method)),
				condition.isEmpty() ? null : this.expressions.parse(condition, method, targetClass, names));
	}

	private String resolvePlaceholders(String text) {
		String resolved = this.beanFactory.resolveEmbeddedValue(text);
		return (resolved != null) ? resolved : "";
	}

}

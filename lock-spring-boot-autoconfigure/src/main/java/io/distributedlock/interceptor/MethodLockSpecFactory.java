package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.interceptor.expression.InvalidAttributeException;
import io.distributedlock.interceptor.expression.KeyExpressions;
import io.distributedlock.interceptor.expression.LockExpression;
import io.distributedlock.interceptor.expression.LockExpressionParser;
import io.distributedlock.interceptor.expression.MethodNames;
import io.distributedlock.interceptor.expression.ParameterNames;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.StringUtils;

/** Makes the specification of a method from its declaration, or says what is wrong. */
final class MethodLockSpecFactory {

	/** What a name never has by chance: it is taken as it is, not evaluated. */
	private static final Pattern EXPRESSION = Pattern
		.compile("#[\\p{Alpha}_$].*|.*#\\{.*|T\\([\\w.$]+\\).*|@\\w+\\.\\w+\\(.*", Pattern.DOTALL);

	private static final Pattern VARIABLE = Pattern.compile("#(\\w+)");

	private final ConfigurableListableBeanFactory beanFactory;

	private final LockExpressionParser expressions;

	private final LockOptionsResolver options;

	private final RegistryCheck registries;

	private final ResultKinds results;

	private final ScheduleCheck schedules;

	MethodLockSpecFactory(ConfigurableListableBeanFactory beanFactory, Supplier<LockProfiles> profiles) {
		this.beanFactory = beanFactory;
		this.expressions = new LockExpressionParser(beanFactory, beanFactory.getBeanClassLoader());
		this.options = new LockOptionsResolver(profiles, this::resolvePlaceholders);
		this.registries = new RegistryCheck(beanFactory);
		this.results = new ResultKinds(beanFactory, profiles);
		this.schedules = new ScheduleCheck((text) -> resolvePlaceholders("@Scheduled", text));
	}

	/**
	 * Create the specification of a method.
	 * @param declarations what is declared, outermost first
	 * @param method the method
	 * @param targetClass the class of the bean
	 * @return the outermost lock, or {@code null} if nothing is declared
	 */
	@Nullable MethodLockSpec create(List<LockDeclaration> declarations, Method method, Class<?> targetClass) {
		MethodLockSpec spec = null;
		for (int i = declarations.size() - 1; i >= 0; i--) {
			spec = create(declarations.get(i), method, targetClass, spec);
		}
		return spec;
	}

	private MethodLockSpec create(LockDeclaration declaration, Method method, Class<?> targetClass,
			@Nullable MethodLockSpec inner) {
		try {
			return createChecked(declaration, method, targetClass, inner);
		}
		catch (InvalidAttributeException ex) {
			throw new InvalidLockDeclarationException(targetClass, method, String.valueOf(ex.getMessage()),
					ex.getRemedy(), ex);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockDeclarationException(targetClass, method, String.valueOf(ex.getMessage()),
					"Correct the declaration, or distributed-lock.* in the configuration"
							+ "; a number without a unit is milliseconds",
					ex);
		}
	}

	private MethodLockSpec createChecked(LockDeclaration declaration, Method method, Class<?> targetClass,
			@Nullable MethodLockSpec inner) {
		ParameterNames parameters = new ParameterNames(method, declaration.source());
		String name = name(declaration, parameters);
		String registry = resolvePlaceholders("registry", declaration.subject().registry());
		this.registries.check(registry, method, targetClass);
		ResultKind kind = this.results.of(method, targetClass, registry);
		boolean canBeEmpty = kind.emptyResult() != null;
		LockOptionsResolver.Resolved resolved = this.options.resolve(name, declaration, canBeEmpty);
		if (!canBeEmpty) {
			refuseSkip(resolved.options(), SuspendingFunctions.resultType(method, targetClass), method, targetClass);
		}
		FallbackMethod fallback = fallback(name, declaration.policies(), resolved.options(), method, targetClass);
		List<LockExpression> keys = declaration.subject().keys().stream().map((text) -> key(text, parameters)).toList();
		LockExpression condition = declaration.subject().condition().isEmpty() ? null : this.expressions
			.parseCondition(resolvePlaceholders("condition", declaration.subject().condition()), parameters);
		checkTokens(declaration, new TokenParameterCheck(method, targetClass, name, declaration), resolved, keys);
		MethodLockSpec spec = new MethodLockSpec(method, targetClass,
				new MethodLockSpec.Subject(name, registry,
						new KeyExpressions(keys, MethodNames.of(targetClass, method)), condition),
				resolved, new MethodLockSpec.Body(kind, tokens(declaration, method, parameters), fallback), inner);
		this.schedules.check(spec);
		return spec;
	}

	private LockExpression key(String text, ParameterNames parameters) {
		return this.expressions.parse(resolvePlaceholders("key", text), parameters);
	}

	private static void refuseSkip(LockOptions options, ResolvableType type, Method method, Class<?> targetClass) {
		boolean busy = options.whenBusy() == WhenBusy.SKIP;
		if (busy || options.whenUnavailable() == WhenUnavailable.SKIP) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"%s is SKIP, but its result of type %s cannot be empty"
						.formatted(busy ? "whenBusy" : "whenUnavailable", type),
					"Return void, Optional, Mono, Flux, or a future of Void or Optional, or use THROW"
							+ (busy ? " or FALLBACK" : ""));
		}
	}

	private static @Nullable FallbackMethod fallback(String name, LockDeclaration.Policies declared,
			LockOptions options, Method method, Class<?> targetClass) {
		if (StringUtils.hasText(declared.fallback())) {
			return FallbackMethod.find(declared.fallback(), method, targetClass);
		}
		if (options.whenBusy() == WhenBusy.FALLBACK) {
			String origin = (declared.whenBusy() == WhenBusy.FALLBACK) ? ""
					: " (distributed-lock.locks.%s.when-busy)".formatted(name);
			throw new InvalidLockDeclarationException(targetClass, method,
					"whenBusy is FALLBACK%s, but there is no fallback method".formatted(origin),
					"Name a method of the same class with the attribute fallback");
		}
		return null;
	}

	private static void checkTokens(LockDeclaration declaration, TokenParameterCheck check,
			LockOptionsResolver.Resolved resolved, List<LockExpression> keys) {
		for (LockDeclaration.TokenParameter token : declaration.tokens()) {
			check.check(token.index(), resolved);
			keys.forEach((key) -> check.checkUnused(token.index(), key));
		}
	}

	private TokenParameters tokens(LockDeclaration declaration, Method method, ParameterNames parameters) {
		return new TokenParameters(declaration.tokens()
			.stream()
			.map((token) -> new TokenParameters.Parameter(token.index(),
					method.getParameterTypes()[token.index()].isPrimitive() ? 0L : null,
					token.key().isEmpty() ? null : key(token.key(), parameters)))
			.toList());
	}

	private String name(LockDeclaration declaration, ParameterNames parameters) {
		String name = resolvePlaceholders("name", declaration.subject().name());
		if (!name.equals(name.strip())) {
			throw new InvalidAttributeException("name \"%s\" is blank or has blanks around it".formatted(name),
					"Write the name without blanks, or leave it out");
		}
		if (EXPRESSION.matcher(name).matches()
				|| VARIABLE.matcher(name).results().anyMatch((found) -> parameters.indexOf(found.group(1)) != null)) {
			throw new InvalidAttributeException(
					"name \"%s\" looks like an expression, but a name is a literal".formatted(name),
					"Write the expression as the key, and a literal as the name; a name may have placeholders as in ${some.property}");
		}
		return name;
	}

	private String resolvePlaceholders(String attribute, String text) {
		try {
			String resolved = this.beanFactory.resolveEmbeddedValue(text);
			return (resolved != null) ? resolved : "";
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidAttributeException(
					"%s \"%s\" cannot be resolved: %s".formatted(attribute, text, ex.getMessage()),
					"Define the property, or write a default after a colon, as in ${some.property:default}", ex);
		}
	}

}

package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.interceptor.expression.InvalidAttributeException;
import io.distributedlock.interceptor.expression.KeyExpressions;
import io.distributedlock.interceptor.expression.LockExpression;
import io.distributedlock.interceptor.expression.LockExpressionParser;
import io.distributedlock.interceptor.expression.MethodNames;
import io.distributedlock.interceptor.expression.MethodParameters;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.StringUtils;

/** Makes the specification of a method from its declarations, or says what is wrong. */
final class MethodLockSpecFactory {

	/** A name is a literal, and a literal never looks like this by chance. */
	private static final Pattern EXPRESSION = Pattern
		.compile("#[\\p{Alpha}_$].*|.*#\\{.*|T\\([\\w.$]+\\).*|@\\w+\\.\\w+\\(.*", Pattern.DOTALL);

	private static final Pattern VARIABLE = Pattern.compile("#(\\w+)");

	private final ConfigurableListableBeanFactory beanFactory;

	private final LockExpressionParser expressions;

	private final LockOptionsResolver options;

	private final ResultKinds results;

	MethodLockSpecFactory(ConfigurableListableBeanFactory beanFactory, Supplier<LockProfiles> profiles) {
		this.beanFactory = beanFactory;
		this.expressions = new LockExpressionParser(beanFactory, beanFactory.getBeanClassLoader());
		this.options = new LockOptionsResolver(profiles, this::resolvePlaceholders);
		this.results = new ResultKinds(beanFactory, profiles);
	}

	/** The outermost lock of a method, or {@code null} if nothing is declared. */
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
		MethodParameters parameters = new MethodParameters(targetClass, method, declaration.source());
		MethodLockSpec.Subject subject = subject(declaration.subject(), parameters,
				MethodNames.of(targetClass, method));
		ResolvableType type = SuspendingFunctions.resultType(method, targetClass);
		ResultKind kind = this.results.of(method, type, subject.registry());
		boolean canBeEmpty = kind.emptyResult() != null;
		LockOptionsResolver.Resolved resolved = this.options.resolve(subject.name(), declaration, canBeEmpty);
		if (!canBeEmpty) {
			refuseSkip(resolved.options(), type);
		}
		FallbackMethod fallback = fallback(subject.name(), declaration, resolved.options(), method, targetClass);
		TokenParameters tokens = tokens(declaration, method, parameters);
		tokens.check(method, resolved.options(), subject);
		return new MethodLockSpec(method, targetClass, subject, resolved,
				new MethodLockSpec.Body(kind, tokens, fallback), inner);
	}

	private MethodLockSpec.Subject subject(LockDeclaration.Subject declared, MethodParameters parameters,
			String methodItself) {
		String name = name(declared.name(), parameters);
		String registry = resolvePlaceholders("registry", declared.registry());
		requireRegistry(registry);
		List<LockExpression> keys = declared.keys().stream().map((text) -> key(text, parameters)).toList();
		LockExpression condition = declared.condition().isEmpty() ? null
				: this.expressions.parseCondition(resolvePlaceholders("condition", declared.condition()), parameters);
		return new MethodLockSpec.Subject(name, registry, new KeyExpressions(keys, methodItself), condition);
	}

	/** Looks at the names of beans only, since none must be created yet. */
	private void requireRegistry(String registry) {
		List<String> names = List
			.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, LockRegistry.class, true, false));
		if (names.isEmpty()) {
			throw new InvalidAttributeException("there is no LockRegistry bean",
					"Configure a store with distributed-lock.store, or declare a LockRegistry bean");
		}
		if (!registry.isEmpty() && !names.contains(registry)) {
			throw new InvalidAttributeException("there is no LockRegistry bean named '%s'".formatted(registry),
					"Use one of " + names);
		}
	}

	private LockExpression key(String text, MethodParameters parameters) {
		return this.expressions.parse(resolvePlaceholders("key", text), parameters);
	}

	private static void refuseSkip(LockOptions options, ResolvableType type) {
		boolean busy = options.whenBusy() == WhenBusy.SKIP;
		if (busy || options.whenUnavailable() == WhenUnavailable.SKIP) {
			throw new InvalidAttributeException(
					"%s is SKIP, but its result of type %s cannot be empty"
						.formatted(busy ? "whenBusy" : "whenUnavailable", type),
					"Return void, Optional, Mono, Flux, or a future of Void or Optional, or use THROW"
							+ (busy ? " or FALLBACK" : ""));
		}
	}

	private static @Nullable FallbackMethod fallback(String name, LockDeclaration declared, LockOptions options,
			Method method, Class<?> targetClass) {
		if (StringUtils.hasText(declared.fallback())) {
			return FallbackMethod.find(declared.fallback(), method, targetClass);
		}
		if (options.whenBusy() == WhenBusy.FALLBACK) {
			String origin = (declared.options().whenBusy() == WhenBusy.FALLBACK) ? ""
					: " (distributed-lock.locks.%s.when-busy)".formatted(name);
			throw new InvalidAttributeException(
					"whenBusy is FALLBACK%s, but there is no fallback method".formatted(origin),
					"Name a method of the same class with the attribute fallback");
		}
		return null;
	}

	private TokenParameters tokens(LockDeclaration declaration, Method method, MethodParameters parameters) {
		return new TokenParameters(declaration.tokens()
			.stream()
			.map((token) -> new TokenParameters.Parameter(token.index(),
					method.getParameterTypes()[token.index()].isPrimitive() ? 0L : null,
					token.key().isEmpty() ? null : key(token.key(), parameters)))
			.toList());
	}

	private String name(String text, MethodParameters parameters) {
		String name = resolvePlaceholders("name", text);
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

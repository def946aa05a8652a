package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockFinder;
import io.distributedlock.interceptor.internal.InvalidAttributeException;
import io.distributedlock.interceptor.internal.LockExpression;
import io.distributedlock.interceptor.internal.LockExpressionParser;
import io.distributedlock.interceptor.internal.MethodParameters;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.StringUtils;

/** Makes the specification of a method from its annotations, or refuses them. */
final class MethodLockSpecFactory {

	/** An expression. A name is a literal, which never looks like this by chance. */
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

	/** Create the specifications of all locks, and return the outermost one. */
	@Nullable MethodLockSpec create(List<DistributedLock> locks, Method method, Class<?> targetClass) {
		try {
			List<Method> declarations = DistributedLockFinder.declarations(method, targetClass);
			MethodParameters parameters = new MethodParameters(targetClass, method, declarations);
			MethodLockSpec spec = null;
			for (int i = locks.size() - 1; i >= 0; i--) {
				DistributedLock lock = locks.get(i);
				List<TokenParameter> tokens = TokenParameter.of(lock, locks, method, declarations,
						(key, names) -> key(key, new MethodParameters(targetClass, method, names)));
				spec = create(lock, tokens, parameters, method, targetClass, spec);
			}
			return spec;
		}
		catch (InvalidAttributeException ex) {
			throw new InvalidLockDeclarationException(targetClass, method, String.valueOf(ex.getMessage()),
					ex.getRemedy(), ex);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockDeclarationException(targetClass, method, String.valueOf(ex.getMessage()),
					"Correct the annotation, or distributed-lock.* in the configuration"
							+ "; a number without a unit is milliseconds",
					ex);
		}
	}

	private MethodLockSpec create(DistributedLock lock, List<TokenParameter> tokens, MethodParameters parameters,
			Method method, Class<?> targetClass, @Nullable MethodLockSpec inner) {
		String name = name(lock.name(), parameters);
		String registry = resolvePlaceholders("registry", lock.registry());
		requireRegistry(registry);
		List<LockExpression> keys = Arrays.stream(lock.key()).map((text) -> key(text, parameters)).toList();
		LockExpression condition = lock.condition().isEmpty() ? null
				: this.expressions.parse(resolvePlaceholders("condition", lock.condition()), parameters);
		ResolvableType type = SuspendingFunctions.resultType(method, targetClass);
		ResultKind kind = this.results.of(method, targetClass, type, registry);
		LockOptionsResolver.Resolved resolved = this.options.resolve(name, lock, kind.emptyResult() != null);
		if (kind.emptyResult() == null) {
			refuseSkip(resolved.options(), type);
		}
		FallbackMethod fallback = fallback(name, lock, resolved.options(), method, targetClass);
		List<LockExpression> read = Stream.concat(keys.stream(), tokens.stream().flatMap(TokenParameter::keys))
			.toList();
		tokens.forEach((token) -> token.check(method, resolved.options(), read, condition != null));
		return new MethodLockSpec(method, targetClass, resolved,
				new MethodLockSpec.Parts(registry, keys, condition, kind, tokens, fallback),
				this.results.template(registry), inner);
	}

	/** Looks at the names of beans only, since no bean must be created yet. */
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
					"Return void, Optional, Mono, Flux, or a future of Void or Optional, declare the value @Nullable, or use THROW"
							+ (busy ? " or FALLBACK" : ""));
		}
	}

	private static @Nullable FallbackMethod fallback(String name, DistributedLock lock, LockOptions options,
			Method method, Class<?> targetClass) {
		if (StringUtils.hasText(lock.fallback())) {
			return FallbackMethod.find(lock.fallback(), method, targetClass);
		}
		if (options.whenBusy() == WhenBusy.FALLBACK) {
			String origin = (lock.whenBusy() == WhenBusy.FALLBACK) ? ""
					: " (distributed-lock.locks.%s.when-busy)".formatted(name);
			throw new InvalidAttributeException(
					"whenBusy is FALLBACK%s, but there is no fallback method".formatted(origin),
					"Name a method of the same class with the attribute fallback");
		}
		return null;
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

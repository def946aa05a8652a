package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.LockProfiles;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Parses all methods of a class when its first bean is created, and keeps the
 * specifications for as long as the application context lives.
 *
 * @since 0.1.0
 */
public final class CachingMethodLockSpecSource implements MethodLockSpecSource {

	private final LockDeclarationParser parser;

	private final MethodLockSpecFactory factory;

	private final BiConsumer<Method, Class<?>> guardCheck;

	private final Map<Class<?>, Boolean> candidates = new ConcurrentHashMap<>();

	private final Map<MethodClassKey, Optional<MethodLockSpec>> specs = new ConcurrentHashMap<>();

	/**
	 * Create a source for methods that are guarded through proxies.
	 * @param parser reads the declarations
	 * @param beanFactory where beans and placeholders of expressions come from
	 * @param profiles the configuration, asked for when the first declaration is found
	 */
	public CachingMethodLockSpecSource(LockDeclarationParser parser, ConfigurableListableBeanFactory beanFactory,
			Supplier<LockProfiles> profiles) {
		this(parser, new MethodLockSpecFactory(beanFactory, profiles),
				new ProxyCheck(() -> isProxyTargetClass(beanFactory))::check);
	}

	private CachingMethodLockSpecSource(LockDeclarationParser parser, MethodLockSpecFactory factory,
			BiConsumer<Method, Class<?>> guardCheck) {
		this.parser = parser;
		this.factory = factory;
		this.guardCheck = guardCheck;
	}

	/**
	 * Create a source for methods that are guarded by the lock that is woven into them.
	 * @param parser reads the declarations
	 * @param beanFactory where beans and placeholders of expressions come from
	 * @param profiles the configuration, asked for when the first declaration is found
	 * @return a source that refuses methods that are not woven
	 */
	public static CachingMethodLockSpecSource ofWoven(LockDeclarationParser parser,
			ConfigurableListableBeanFactory beanFactory, Supplier<LockProfiles> profiles) {
		return new CachingMethodLockSpecSource(parser, new MethodLockSpecFactory(beanFactory, profiles),
				WeavingCheck::check);
	}

	private static boolean isProxyTargetClass(ConfigurableListableBeanFactory beanFactory) {
		String creator = AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME;
		return !beanFactory.containsBean(creator) || !(beanFactory.getBean(creator) instanceof ProxyConfig config)
				|| config.isProxyTargetClass();
	}

	@Override
	public boolean isCandidateClass(Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Boolean known = this.candidates.get(userClass);
		if (known == null) {
			known = this.parser.isCandidateClass(userClass) && hasGuardedMethod(userClass);
			this.candidates.put(userClass, known);
		}
		return known;
	}

	private boolean hasGuardedMethod(Class<?> userClass) {
		Method[] declared = ReflectionUtils.getUniqueDeclaredMethods(userClass,
				(method) -> !method.isSynthetic() && method.getDeclaringClass() != Object.class);
		Set<Method> methods = Arrays.stream(declared)
			.map((method) -> AopUtils.getMostSpecificMethod(method, userClass))
			.collect(Collectors.toSet());
		return methods.stream().filter((method) -> getSpec(method, userClass) != null).count() > 0;
	}

	@Override
	public @Nullable MethodLockSpec getSpec(Method method, Class<?> targetClass) {
		MethodClassKey key = new MethodClassKey(method, targetClass);
		Optional<MethodLockSpec> known = this.specs.get(key);
		if (known == null) {
			Class<?> userClass = ClassUtils.getUserClass(targetClass);
			Method specific = AopUtils.getMostSpecificMethod(method, userClass);
			boolean own = specific.equals(method) && userClass == targetClass;
			known = Optional.ofNullable(own ? parse(method, userClass) : getSpec(specific, userClass));
			this.specs.put(key, known);
		}
		return known.orElse(null);
	}

	private @Nullable MethodLockSpec parse(Method method, Class<?> userClass) {
		List<LockDeclaration> declarations = isWritten(method) ? this.parser.parse(method, userClass) : List.of();
		if (!declarations.isEmpty()) {
			this.guardCheck.accept(method, userClass);
		}
		return this.factory.create(declarations, method, userClass);
	}

	/** Kotlin's compiler copies annotations to methods that it generates. */
	private static boolean isWritten(Method method) {
		return method.getDeclaringClass() != Object.class && (!method.isSynthetic() || method.isBridge());
	}

	@Override
	public Collection<MethodLockSpec> specs() {
		return this.specs.values().stream().flatMap(Optional::stream).collect(Collectors.toSet());
	}

}

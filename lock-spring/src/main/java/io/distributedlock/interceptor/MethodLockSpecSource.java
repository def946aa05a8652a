package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.LockProfiles;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockFinder;
import io.distributedlock.annotation.ValueClassBridge;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The specifications of guarded methods. All methods of a class are parsed when its first
 * bean is created; the specifications are kept for as long as the application context
 * lives. Thread-safe.
 *
 * @since 0.1.0
 */
public final class MethodLockSpecSource {

	private final MethodLockSpecFactory factory;

	private final BiConsumer<Method, Class<?>> guardCheck;

	private final boolean woven;

	private final Map<Class<?>, Boolean> candidates = new ConcurrentHashMap<>();

	private final Map<MethodClassKey, Optional<MethodLockSpec>> specs = new ConcurrentHashMap<>();

	private MethodLockSpecSource(MethodLockSpecFactory factory, BiConsumer<Method, Class<?>> guardCheck,
			boolean woven) {
		this.factory = factory;
		this.guardCheck = guardCheck;
		this.woven = woven;
	}

	/**
	 * Create a source for methods that are guarded through proxies.
	 * @param beanFactory the source of beans and placeholders in expressions
	 * @param profiles the configuration, requested when the first annotation is found
	 * @return a source that refuses methods that no proxy can guard
	 */
	public static MethodLockSpecSource ofProxied(ConfigurableListableBeanFactory beanFactory,
			Supplier<LockProfiles> profiles) {
		return new MethodLockSpecSource(new MethodLockSpecFactory(beanFactory, profiles),
				new ProxyCheck(beanFactory)::check, false);
	}

	/**
	 * Create a source for methods that are guarded by the lock that is woven into them.
	 * @param beanFactory the source of beans and placeholders in expressions
	 * @param profiles the configuration, requested when the first annotation is found
	 * @return a source that refuses methods that are not woven
	 */
	public static MethodLockSpecSource ofWoven(ConfigurableListableBeanFactory beanFactory,
			Supplier<LockProfiles> profiles) {
		return new MethodLockSpecSource(new MethodLockSpecFactory(beanFactory, profiles), WeavingCheck::check, true);
	}

	/**
	 * Return whether a class has guarded methods. The first call checks all of them.
	 * @param targetClass the class of a bean
	 * @return {@code true} if there is a guarded method
	 * @throws InvalidLockDeclarationException if an annotation cannot work
	 */
	public boolean isCandidateClass(Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		Boolean known = this.candidates.get(userClass);
		if (known == null) {
			known = DistributedLockFinder.isCandidateClass(userClass) && hasGuardedMethod(userClass);
			this.candidates.put(userClass, known);
		}
		return known;
	}

	private boolean hasGuardedMethod(Class<?> userClass) {
		Method[] declared = ReflectionUtils.getUniqueDeclaredMethods(userClass,
				(method) -> !method.isSynthetic() && method.getDeclaringClass() != Object.class);
		boolean guarded = false;
		for (Method method : declared) {
			// No early exit: each method may have a mistake.
			guarded |= getSpec(method, userClass) != null;
		}
		return guarded;
	}

	/**
	 * The specification of a method, parsed once.
	 * @param method the method, maybe of an interface
	 * @param targetClass the class of the bean
	 * @return the outermost lock, or {@code null} if the method is not guarded
	 * @throws InvalidLockDeclarationException if the annotation cannot work
	 */
	public @Nullable MethodLockSpec getSpec(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		ValueClassBridge bridge = ValueClassBridge.of(method, userClass);
		Method specific = (bridge != null) ? bridge.functions().get(0)
				: AopUtils.getMostSpecificMethod(method, userClass);
		MethodClassKey key = new MethodClassKey(specific, userClass);
		Optional<MethodLockSpec> known = this.specs.get(key);
		if (known == null) {
			known = Optional.ofNullable(parse(specific, userClass));
			this.specs.put(key, known);
		}
		return known.orElse(null);
	}

	private @Nullable MethodLockSpec parse(Method method, Class<?> userClass) {
		if (!isWritten(method)) {
			return null;
		}
		List<DistributedLock> locks = find(method, userClass);
		if (locks.isEmpty()) {
			TokenParameter.requireNone(method, userClass);
			return null;
		}
		this.guardCheck.accept(method, userClass);
		return this.factory.create(locks, method, userClass);
	}

	private static List<DistributedLock> find(Method method, Class<?> userClass) {
		try {
			return DistributedLockFinder.find(method, userClass);
		}
		catch (AnnotationConfigurationException ex) {
			throw new InvalidLockDeclarationException(userClass, method,
					"its annotation contradicts itself: " + ex.getMessage(),
					"Set only one of the attributes that stand for the same: either key or value", ex);
		}
	}

	/** Return {@code false} for generated methods: Kotlin copies annotations to them. */
	private static boolean isWritten(Method method) {
		return method.getDeclaringClass() != Object.class && (!method.isSynthetic() || method.isBridge());
	}

	/** The specifications of one class, after its methods have been examined. */
	Collection<MethodLockSpec> specs(Class<?> userClass) {
		return specs().stream().filter((spec) -> spec.targetClass() == userClass).toList();
	}

	/** Return whether the locks are woven into the methods. */
	boolean isWoven() {
		return this.woven;
	}

	/**
	 * The specifications that were found so far, for reports.
	 * @return the outermost lock of each guarded method
	 */
	public Collection<MethodLockSpec> specs() {
		return this.specs.values().stream().flatMap(Optional::stream).collect(Collectors.toSet());
	}

}

package io.distributedlock.interceptor;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.DistributedLockFinder;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.SpringProxy;
import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AbstractAdvisorAutoProxyCreator;
import org.springframework.aop.framework.autoproxy.InfrastructureAdvisorAutoProxyCreator;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.InstantiationAwareBeanPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ConcurrentReferenceHashMap;

/**
 * Makes sure that calls of guarded methods take their locks. Each bean with guarded
 * methods must have its proxy or be woven, and the container must not call such a method
 * without it. Post-processors do not see a bean that was made before them, or that was
 * registered as an object. A problem that is found during the start stops it. A later one
 * is a warning, and so is a callback that is guarded only by its class.
 * <p>
 * Runs right after the post-processor that makes the proxies. Later ones may put objects
 * around a proxy that hide the lock.
 *
 * @since 0.1.0
 */
public final class GuardedBeansCheck
		implements InstantiationAwareBeanPostProcessor, SmartInitializingSingleton, Ordered {

	private static final LockLog logger = LockLog.of(GuardedBeansCheck.class);

	private final MethodLockSpecSource source;

	private final ConfigurableListableBeanFactory beanFactory;

	/** Beans with guarded methods that post-processors have seen. */
	private final Set<String> seen = ConcurrentHashMap.newKeySet();

	/** Beans that had the lock when they left the post-processor of the proxies. */
	private final Set<String> guarded = ConcurrentHashMap.newKeySet();

	/** Classes of beans that were made after the start. Each class is checked once. */
	private final Set<Class<?>> late = ConcurrentHashMap.newKeySet();

	/** The result for each class, since child contexts are often many, and alike. */
	private final Map<Class<?>, Boolean> unguardedInChildren = new ConcurrentReferenceHashMap<>();

	private volatile boolean started;

	/**
	 * Create a check.
	 * @param source the specifications of guarded methods
	 * @param beanFactory the beans to check
	 */
	public GuardedBeansCheck(MethodLockSpecSource source, ConfigurableListableBeanFactory beanFactory) {
		this.source = source;
		this.beanFactory = beanFactory;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE + 1;
	}

	/** Check the callbacks of a bean before one of them runs. */
	@Override
	public boolean postProcessAfterInstantiation(Object bean, String beanName) {
		Class<?> type = ClassUtils.getUserClass(bean);
		if (hasValidGuards(type) && (this.started ? this.late.add(type) : note(beanName)) && !this.source.isWoven()) {
			RootBeanDefinition definition = definition(beanName);
			this.source.specs(type).forEach((spec) -> checkCallback(spec, beanName, definition));
		}
		return true;
	}

	/** Return {@code false} if one is not valid: then the pointcut refuses the bean. */
	private boolean hasValidGuards(Class<?> type) {
		try {
			return hasGuards(type);
		}
		catch (InvalidLockDeclarationException ex) {
			return false;
		}
	}

	/**
	 * Return whether a class has guarded methods. A mistake in a declaration stops the
	 * start. A class that refers to a missing optional class cannot be read, but is no
	 * mistake.
	 */
	private boolean hasGuards(Class<?> type) {
		try {
			return this.source.isCandidateClass(type);
		}
		catch (IllegalStateException | LinkageError ex) {
			logger.debug("The methods of %s cannot be read".formatted(type.getName()), ex);
			return false;
		}
	}

	private boolean note(String beanName) {
		this.seen.add(beanName);
		return true;
	}

	private @Nullable RootBeanDefinition definition(String beanName) {
		return (this.beanFactory.containsBeanDefinition(beanName)
				&& this.beanFactory.getMergedBeanDefinition(beanName) instanceof RootBeanDefinition definition)
						? definition : null;
	}

	private void checkCallback(MethodLockSpec spec, String beanName, @Nullable RootBeanDefinition definition) {
		ContainerCallback callback = ContainerCallback.of(spec.method(), spec.targetClass(), definition);
		if (callback == null) {
			return;
		}
		InvalidLockDeclarationException failure = new InvalidLockDeclarationException(spec.targetClass(), spec.method(),
				"the container calls it within bean '%s', where no proxy is, since %s".formatted(beanName,
						callback.cause()),
				callback.remedy());
		if (!this.started && isAnnotated(spec)) {
			throw failure;
		}
		logger.warn(failure.getDescription() + " " + failure.getRemedy());
	}

	/**
	 * Return whether the method itself is annotated. An annotation of the class may be
	 * meant for its other methods.
	 */
	private static boolean isAnnotated(MethodLockSpec spec) {
		return MergedAnnotations.from(spec.method(), SearchStrategy.TYPE_HIERARCHY).isPresent(DistributedLock.class);
	}

	/** Check woven classes: a mistake stops the start, as in the pointcut of proxies. */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (this.source.isWoven()) {
			hasGuards(AopUtils.getTargetClass(bean));
		}
		else if (!this.started && bean instanceof Advised proxy && hasLock(proxy)) {
			this.guarded.add(beanName);
		}
		return bean;
	}

	private static boolean hasLock(Advised proxy) {
		return Arrays.stream(proxy.getAdvisors()).anyMatch((advisor) -> advisor.getAdvice() instanceof LockInterceptor);
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.started = true;
		for (String name : this.beanFactory.getSingletonNames()) {
			Object bean = this.guarded.contains(name) ? null : this.beanFactory.getSingleton(name);
			if (bean != null) {
				check(name, bean);
				check(name, product(name, bean));
			}
		}
	}

	/** The product of a factory. It is made already if another bean depends on it. */
	private @Nullable Object product(String name, Object bean) {
		Class<?> type = (bean instanceof FactoryBean<?> && this.beanFactory.getDependentBeans(name).length > 0)
				? this.beanFactory.getType(name, false) : null;
		return (type != null && !DistributedLockFinder.guardedMethods(type).isEmpty()
				&& this.beanFactory.isSingleton(name)) ? this.beanFactory.getBean(name) : null;
	}

	private void check(String name, @Nullable Object bean) {
		Class<?> unguarded = (bean != null) ? unguarded(bean, (object) -> needsLock(name, object)) : null;
		if (unguarded == null) {
			return;
		}
		MethodLockSpec spec = this.source.specs(unguarded).iterator().next();
		String object = "bean '%s' has no proxy with the lock, since ".formatted(name);
		if (this.seen.contains(name)) {
			throw new InvalidLockDeclarationException(unguarded, spec.method(),
					object + "its class belongs to the infrastructure of proxies, such as an aspect",
					"Guard a method of another bean, or use LockTemplate");
		}
		throw this.beanFactory.containsBeanDefinition(name) ? new InvalidLockDeclarationException(unguarded,
				spec.method(),
				object + "it was created before the locks: a post-processor, or another bean as early, needs it",
				"Let the bean that needs it look it up later, as by an ObjectProvider or @Lazy, or use LockTemplate")
				: new InvalidLockDeclarationException(unguarded, spec.method(),
						object + "it was registered as an object, as by registerSingleton",
						"Register a bean definition that supplies the object, as by registerBean, or use LockTemplate");
	}

	private boolean needsLock(String name, Object object) {
		try {
			return this.source.isCandidateClass(object.getClass()) && !this.source.isWoven()
					&& !TestDouble.is(object, definition(name));
		}
		catch (InvalidLockDeclarationException ex) {
			if (TestDouble.is(object, definition(name))) {
				return false;
			}
			throw ex;
		}
		catch (IllegalStateException | LinkageError ex) {
			logger.debug("Cannot look for guarded methods in " + object.getClass(), ex);
			return false;
		}
	}

	/**
	 * The class whose guarded methods run without their locks. A proxy is followed to its
	 * target, unless the target can change: then it is another bean.
	 */
	private static @Nullable Class<?> unguarded(Object bean, Predicate<Object> needsLock) {
		Class<?> unguarded = null;
		for (Object object = bean; object != null; object = AopProxyUtils.getSingletonTarget(object)) {
			boolean opaque = object instanceof SpringProxy && !(object instanceof Advised);
			if (opaque || object instanceof Advised proxy && (hasLock(proxy) || !proxy.getTargetSource().isStatic())) {
				return null;
			}
			unguarded = (unguarded == null && needsLock.test(object)) ? ClassUtils.getUserClass(object) : unguarded;
		}
		return unguarded;
	}

	/**
	 * Find the beans of a child context whose guarded methods run without their locks.
	 * The post-processors of this context do not see them.
	 * @param child the bean factory of a child context that has no locks of its own
	 * @return the name and class of each, sorted
	 */
	public List<String> unguardedBeans(ConfigurableListableBeanFactory child) {
		boolean guardedLater = hasAllAdvisors(child);
		return Stream.of(child.getBeanDefinitionNames(), child.getSingletonNames())
			.flatMap(Arrays::stream)
			.distinct()
			.map((name) -> {
				Class<?> unguarded = unguarded(child, name, guardedLater);
				return (unguarded != null) ? "%s (%s)".formatted(name, unguarded.getName()) : "";
			})
			.filter((found) -> !found.isEmpty())
			.sorted()
			.toList();
	}

	/** Return whether a creator of the child looks for advisors in the parent context. */
	private static boolean hasAllAdvisors(ConfigurableListableBeanFactory child) {
		return Arrays.stream(child.getBeanNamesForType(AbstractAdvisorAutoProxyCreator.class, true, false))
			.map((name) -> child.getType(name, false))
			.anyMatch((type) -> type != InfrastructureAdvisorAutoProxyCreator.class);
	}

	private @Nullable Class<?> unguarded(ConfigurableListableBeanFactory child, String name, boolean guardedLater) {
		Object bean = child.getSingleton(name);
		if (bean != null && !(bean instanceof FactoryBean)) {
			return unguarded(bean,
					(object) -> runsUnguarded(ClassUtils.getUserClass(object)) && !TestDouble.is(object, null));
		}
		Class<?> type = (guardedLater || ScopedProxyUtils.isScopedTarget(name)) ? null : child.getType(name, false);
		return (type != null && runsUnguarded(ClassUtils.getUserClass(type))) ? ClassUtils.getUserClass(type) : null;
	}

	private boolean runsUnguarded(Class<?> type) {
		return this.unguardedInChildren.computeIfAbsent(type,
				(key) -> DistributedLockFinder.guardedMethods(key)
					.stream()
					.anyMatch((method) -> !this.source.isWoven() || !WeavingCheck.isWoven(method)));
	}

}

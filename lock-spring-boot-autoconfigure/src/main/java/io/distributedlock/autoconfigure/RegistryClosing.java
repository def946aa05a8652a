package io.distributedlock.autoconfigure;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArraySet;

import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.store.LockStore;
import io.distributedlock.text.LockLog;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.Lifecycle;
import org.springframework.core.PriorityOrdered;

/**
 * Closes registries and stores after all other beans of the context were destroyed. Until
 * then, tasks of executors, jobs of schedulers and {@code @PreDestroy} methods still take
 * locks. Spring destroys beans in the reverse order of their creation, and a
 * post-processor of the highest precedence is created first. A store that needs other
 * beans, and its registry, are closed in their turn as beans, unless
 * {@link LockShutdownLifecycle} has closed them before. Closing again does nothing.
 * Connections of a store come last, since a start that failed may have made them without
 * it.
 */
final class RegistryClosing implements MergedBeanDefinitionPostProcessor, DestructionAwareBeanPostProcessor,
		PriorityOrdered, DisposableBean {

	private static final LockLog logger = LockLog.of(RegistryClosing.class);

	/** Names of the beans to close. Other scopes end their beans. */
	private final Set<String> singletons = ConcurrentHashMap.newKeySet();

	private final Set<DefaultLockRegistry> registries = new CopyOnWriteArraySet<>();

	private final Set<LockStore> stores = new CopyOnWriteArraySet<>();

	private final Set<Runnable> connections = new CopyOnWriteArraySet<>();

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	/** Remove an inferred destroy method: Spring would call it too early. */
	@Override
	public void postProcessMergedBeanDefinition(RootBeanDefinition definition, Class<?> type, String name) {
		String chosen = definition.getDestroyMethodName();
		boolean inferred = chosen == null || chosen.equals(AbstractBeanDefinition.INFER_METHOD);
		boolean ours = DefaultLockRegistry.class.isAssignableFrom(type) || LockStore.class.isAssignableFrom(type);
		if (inferred && ours && definition.isSingleton()) {
			definition.setDestroyMethodName("");
			this.singletons.add(name);
		}
	}

	/** Collect a bean before others wrap it. */
	@Override
	public Object postProcessBeforeInitialization(Object bean, String name) {
		if (this.singletons.contains(name)) {
			if (bean instanceof DefaultLockRegistry registry) {
				this.registries.add(registry);
			}
			else if (bean instanceof LockStore store) {
				this.stores.add(store);
			}
		}
		return bean;
	}

	/** Add registries, also those without a bean definition of their own. */
	void add(Collection<DefaultLockRegistry> more) {
		this.registries.addAll(more);
	}

	/** Add the closing of connections that a store closes, if there is one. */
	void addConnections(Runnable close) {
		this.connections.add(close);
	}

	@Override
	public boolean requiresDestruction(Object bean) {
		return (bean instanceof DefaultLockRegistry registry && !isIndependent(registry))
				|| (bean instanceof LockStore store && !store.isIndependent());
	}

	/** Return whether the store needs no other beans. A mocked registry has no store. */
	static boolean isIndependent(DefaultLockRegistry registry) {
		LockStore store = registry.store();
		return store == null || store.isIndependent();
	}

	/**
	 * Close a bean that needs others: its dependents are destroyed, its dependencies
	 * still exist.
	 */
	@Override
	public void postProcessBeforeDestruction(Object bean, String name) {
		if (this.singletons.contains(name)) {
			if (bean instanceof DefaultLockRegistry registry) {
				close(registry::close);
			}
			else if (bean instanceof LockStore store) {
				close(store::close);
			}
		}
	}

	@Override
	public void destroy() {
		this.stores.forEach(RegistryClosing::connect);
		this.registries.forEach((registry) -> close(registry::close));
		this.stores.forEach((store) -> close(store::close));
		this.connections.forEach(RegistryClosing::close);
	}

	/**
	 * Start connections again that a failed start has stopped: the releases need them.
	 */
	private static void connect(LockStore store) {
		if (store.isIndependent() && store instanceof Lifecycle connections && !connections.isRunning()) {
			close(connections::start);
		}
	}

	/** Close one, and only log its failure, so that the others are closed as well. */
	static void close(Runnable close) {
		try {
			close.run();
		}
		catch (RuntimeException ex) {
			logger.warn("A registry or store of locks was not closed", ex);
		}
	}

}

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
 * Closes registries and stores after all other beans of the context were destroyed: tasks
 * that an executor waits for, jobs that a scheduler waits for, and methods annotated with
 * {@code @PreDestroy} still take locks. Spring destroys beans in the reverse order of
 * their creation, and a post-processor of the first rank is created before them. A store
 * that needs other beans is closed with its registry in its turn, if
 * {@link LockShutdownLifecycle} has not done so before; closing again does nothing.
 */
final class RegistryClosing implements MergedBeanDefinitionPostProcessor, DestructionAwareBeanPostProcessor,
		PriorityOrdered, DisposableBean {

	private static final LockLog logger = LockLog.of(RegistryClosing.class);

	/** Those of other scopes end with their scope. */
	private final Set<String> singletons = ConcurrentHashMap.newKeySet();

	private final Set<DefaultLockRegistry> registries = new CopyOnWriteArraySet<>();

	private final Set<LockStore> stores = new CopyOnWriteArraySet<>();

	@Override
	public int getOrder() {
		return HIGHEST_PRECEDENCE;
	}

	/** Spring would close them where their turn as beans is. */
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

	/** Before others wrap them. */
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

	/** Also those that are no beans of their own definition. */
	void add(Collection<DefaultLockRegistry> more) {
		this.registries.addAll(more);
	}

	@Override
	public boolean requiresDestruction(Object bean) {
		return (bean instanceof DefaultLockRegistry registry && !isIndependent(registry))
				|| (bean instanceof LockStore store && !store.isIndependent());
	}

	/** A mock has no store. */
	static boolean isIndependent(DefaultLockRegistry registry) {
		LockStore store = registry.store();
		return store == null || store.isIndependent();
	}

	/** Its dependents were destroyed, and what it needs is there. */
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
	}

	/** A start that has failed has stopped the connections that the releases need. */
	private static void connect(LockStore store) {
		if (store.isIndependent() && store instanceof Lifecycle connections && !connections.isRunning()) {
			close(connections::start);
		}
	}

	/** One that fails must not keep the others open. */
	static void close(Runnable close) {
		try {
			close.run();
		}
		catch (RuntimeException ex) {
			logger.warn("A registry or store of locks was not closed", ex);
		}
	}

}

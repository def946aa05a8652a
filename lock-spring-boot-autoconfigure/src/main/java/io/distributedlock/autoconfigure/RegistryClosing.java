package io.distributedlock.autoconfigure;

import java.util.Collection;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;

import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.store.LockStore;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.MergedBeanDefinitionPostProcessor;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.PriorityOrdered;

/**
 * Closes registries and stores after all other beans of the context were destroyed: tasks
 * that an executor waits for, jobs that a scheduler waits for, and methods annotated with
 * {@code @PreDestroy} still take locks. Spring destroys beans in the reverse order of
 * their creation, and a post-processor of the first rank is created before them. What
 * cannot wait that long is closed earlier, by {@link LockShutdownLifecycle}; closing
 * again does nothing.
 */
final class RegistryClosing implements MergedBeanDefinitionPostProcessor, PriorityOrdered, DisposableBean {

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
		if (inferred && (DefaultLockRegistry.class.isAssignableFrom(type) || LockStore.class.isAssignableFrom(type))) {
			definition.setDestroyMethodName("");
		}
	}

	@Override
	public @Nullable Object postProcessAfterInitialization(Object bean, String name) {
		if (bean instanceof DefaultLockRegistry registry) {
			this.registries.add(registry);
		}
		else if (bean instanceof LockStore store) {
			this.stores.add(store);
		}
		return bean;
	}

	/** Also those that are no beans of their own definition. */
	void add(Collection<DefaultLockRegistry> more) {
		this.registries.addAll(more);
	}

	@Override
	public void destroy() {
		this.registries.forEach(DefaultLockRegistry::close);
		this.stores.forEach(LockStore::close);
	}

}

package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.Collection;

import io.distributedlock.transaction.LeaseTransactionListener;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.framework.Advised;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.TransactionManager;

/**
 * Adds a {@link LeaseTransactionListener} to every transaction manager that has none,
 * including those of the application. It comes first of all post-processors, so that it
 * sees the managers and not their proxies. It looks up no listener bean: the listener has
 * no state.
 */
final class TransactionListenerPostProcessor implements BeanPostProcessor, SmartInitializingSingleton, PriorityOrdered {

	private static final LockLog logger = LockLog.of(TransactionListenerPostProcessor.class);

	private final ConfigurableListableBeanFactory beanFactory;

	private final TransactionExecutionListener listener = new LeaseTransactionListener();

	TransactionListenerPostProcessor(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

	/** Add the listener. The product of a factory bean has no callback but this one. */
	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		if (bean instanceof TransactionManager && !addTo(bean) && bean instanceof PlatformTransactionManager) {
			logger
				.warn(("Transaction manager '%s' (%s) takes no listeners, so its transactions that begin inside a lock"
						+ " commit even if the lock was lost meanwhile. Let it implement ConfigurableTransactionManager, or"
						+ " compare fencing tokens.")
					.formatted(beanName, bean.getClass().getTypeName()));
		}
		return bean;
	}

	/**
	 * Add the listener to managers that no post-processor has seen: registered as
	 * singletons, or created too early.
	 */
	@Override
	public void afterSingletonsInstantiated() {
		for (String name : this.beanFactory.getBeanNamesForType(TransactionManager.class, true, false)) {
			Object bean = this.beanFactory.getSingleton(name);
			if (bean != null) {
				addTo(bean);
			}
		}
	}

	/** Add the listener. Return {@code false} if the manager takes no listeners. */
	private boolean addTo(Object bean) {
		Object manager = withoutProxies(bean);
		if (manager instanceof ConfigurableTransactionManager configurable) {
			addIfMissing(configurable);
			return true;
		}
		return manager == null;
	}

	private void addIfMissing(ConfigurableTransactionManager manager) {
		if (hasListener(manager)) {
			return;
		}
		try {
			manager.addListener(this.listener);
		}
		catch (UnsupportedOperationException ex) {
			logger.trace("The manager's listeners cannot be changed, but replaced", ex);
		}
		if (!hasListener(manager)) {
			replaceListeners(manager);
		}
	}

	private void replaceListeners(ConfigurableTransactionManager manager) {
		Collection<TransactionExecutionListener> all = new ArrayList<>(manager.getTransactionExecutionListeners());
		all.add(this.listener);
		manager.setTransactionExecutionListeners(all);
	}

	private static boolean hasListener(ConfigurableTransactionManager manager) {
		return manager.getTransactionExecutionListeners().stream().anyMatch(LeaseTransactionListener.class::isInstance);
	}

	/**
	 * Remove proxies, which may hide that the manager takes listeners.
	 * @return the manager, or {@code null} if it is a bean of its own behind the proxy
	 */
	private static @Nullable Object withoutProxies(Object bean) {
		Object target = bean;
		while (target instanceof Advised proxy) {
			target = proxy.getTargetSource().isStatic() ? AopProxyUtils.getSingletonTarget(target) : null;
		}
		return target;
	}

}

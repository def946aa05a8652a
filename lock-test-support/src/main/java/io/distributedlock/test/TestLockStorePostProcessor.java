package io.distributedlock.test;

import io.distributedlock.store.LockStore;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/** Puts a {@link TestLockStore} around the application's store, before all others. */
final class TestLockStorePostProcessor implements BeanPostProcessor, PriorityOrdered {

	@Override
	public Object postProcessAfterInitialization(Object bean, String beanName) {
		return (beanName.equals(TestLockStore.BEAN_NAME) && bean instanceof LockStore store) ? new TestLockStore(store)
				: bean;
	}

	@Override
	public int getOrder() {
		return Ordered.HIGHEST_PRECEDENCE;
	}

}

package io.distributedlock.test;

import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.LockStore;
import io.distributedlock.test.AutoConfigureTestLocks.Replace;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Adds the beans of {@link AutoConfigureTestLocks}. Tests with equal customizers share a
 * context.
 *
 * @param replace the store to replace
 */
record TestLocksCustomizer(Replace replace) implements ContextCustomizer {

	/** Part of Spring's message for an application that declares a store of its own. */
	private static final String OWN_STORE = "@AutoConfigureTestLocks, which replaces the auto-configured store only: "
			+ "write @AutoConfigureTestLocks(replace = NONE) where the application declares distributedLockStore itself";

	@Override
	public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
		BeanDefinitionRegistry registry = (BeanDefinitionRegistry) context.getBeanFactory();
		if (this.replace == Replace.AUTO_CONFIGURED) {
			RootBeanDefinition store = new RootBeanDefinition(MemoryLockStore.class, MemoryLockStore::new);
			store.setResourceDescription(OWN_STORE);
			store.setRole(BeanDefinition.ROLE_SUPPORT);
			registry.registerBeanDefinition(TestLockStore.BEAN_NAME, store);
		}
		registry.registerBeanDefinition("distributedLockTestLocks",
				new RootBeanDefinition(TestLocks.class, () -> new TestLocks(context)));
		context.getBeanFactory().addBeanPostProcessor(new StorePostProcessor());
	}

	private static final class StorePostProcessor implements BeanPostProcessor {

		@Override
		public Object postProcessAfterInitialization(Object bean, String beanName) {
			return (beanName.equals(TestLockStore.BEAN_NAME) && bean instanceof LockStore store)
					? new TestLockStore(store) : bean;
		}

	}

}

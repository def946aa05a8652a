package io.distributedlock.test;

import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.test.AutoConfigureTestLocks.Replace;

import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.MergedContextConfiguration;

/**
 * Adds the beans of {@link AutoConfigureTestLocks}. Tests with equal customizers share a
 * context. A context that was processed ahead of time has the beans already: so they are
 * made by constructors, since there is no code to generate for a supplier.
 *
 * @param replace the store to replace
 */
record TestLocksCustomizer(Replace replace) implements ContextCustomizer {

	/** Part of Spring's message for an application that declares a store of its own. */
	private static final String OWN_STORE = "@AutoConfigureTestLocks, which replaces the auto-configured store only: "
			+ "write @AutoConfigureTestLocks(replace = NONE) where the application declares distributedLockStore itself";

	@Override
	public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration merged) {
		if (AotDetector.useGeneratedArtifacts()) {
			return;
		}
		BeanDefinitionRegistry registry = (BeanDefinitionRegistry) context.getBeanFactory();
		if (this.replace == Replace.AUTO_CONFIGURED) {
			RootBeanDefinition store = new RootBeanDefinition(MemoryLockStore.class);
			store.setResourceDescription(OWN_STORE);
			store.setRole(BeanDefinition.ROLE_SUPPORT);
			registry.registerBeanDefinition(TestLockStore.BEAN_NAME, store);
		}
		registry.registerBeanDefinition("distributedLockTestLocks", new RootBeanDefinition(TestLocks.class));
		RootBeanDefinition processor = new RootBeanDefinition(TestLockStorePostProcessor.class);
		processor.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
		registry.registerBeanDefinition("distributedLockTestStorePostProcessor", processor);
	}

}

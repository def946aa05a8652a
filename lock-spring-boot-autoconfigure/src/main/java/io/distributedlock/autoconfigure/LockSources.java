package io.distributedlock.autoconfigure;

import java.util.Comparator;
import java.util.List;

import io.distributedlock.actuate.LockSource;
import io.distributedlock.engine.DefaultLockRegistry;

import org.springframework.beans.factory.ListableBeanFactory;

/** Finds the registries to report on. */
final class LockSources {

	private LockSources() {
	}

	/** Return all registries, the default one first. */
	static List<LockSource> of(ListableBeanFactory beanFactory) {
		return beanFactory.getBeansOfType(DefaultLockRegistry.class)
			.entrySet()
			.stream()
			.map((bean) -> new LockSource(bean.getKey(), bean.getValue(), bean.getValue().store(),
					bean.getValue().statistics()))
			.sorted(Comparator.comparing((source) -> !source.name().equals(LockBeanNames.REGISTRY)))
			.toList();
	}

}

package io.distributedlock.autoconfigure;

import java.util.function.Supplier;

import io.distributedlock.aspectj.LockWeaving;
import io.distributedlock.interceptor.LockInterceptor;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Decides what woven methods do as long as the context lives. A post-processor, because
 * it has to be there before the first bean whose methods are woven, and is destroyed
 * after the last.
 */
final class WeavingSwitch implements BeanFactoryPostProcessor, DisposableBean {

	private final Supplier<LockWeaving> position;

	private @Nullable LockWeaving weaving;

	private WeavingSwitch(Supplier<LockWeaving> position) {
		this.position = position;
	}

	static WeavingSwitch on(Supplier<LockInterceptor> interceptor) {
		return new WeavingSwitch(() -> LockWeaving.active(interceptor));
	}

	static WeavingSwitch off() {
		return new WeavingSwitch(LockWeaving::passive);
	}

	@Override
	public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
		this.weaving = this.position.get();
	}

	@Override
	public void destroy() {
		LockWeaving open = this.weaving;
		if (open != null) {
			open.close();
		}
	}

}

package io.distributedlock.modulith;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import io.distributedlock.test.store.Patience;

import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.modulith.events.core.EventPublicationRepository;

/**
 * Stands before the publications of two instances. Where both read at once, each has read
 * before the first resubmits, and the second resubmits when the listeners of the first
 * run.
 */
class ObservedPublications implements BeanPostProcessor {

	private final AtomicInteger reads = new AtomicInteger();

	private final BooleanSupplier listenersRun;

	private volatile boolean oneIsDone;

	private volatile boolean completionIsLost;

	ObservedPublications(BooleanSupplier listenersRun) {
		this.listenersRun = listenersRun;
	}

	/**
	 * An instance has resubmitted, or was not to: one that has read alone waits no
	 * longer.
	 */
	void done() {
		this.oneIsDone = true;
	}

	/** As if the instances died when a listener had committed. */
	void loseCompletion(boolean lost) {
		this.completionIsLost = lost;
	}

	@Override
	public Object postProcessAfterInitialization(Object bean, String name) {
		return (bean instanceof EventPublicationRepository) ? Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { EventPublicationRepository.class },
				(proxy, method, arguments) -> call(bean, method, arguments)) : bean;
	}

	private Object call(Object repository, Method method, Object[] arguments) throws Throwable {
		if (this.completionIsLost && method.getName().equals("markCompleted")) {
			throw new IllegalStateException("Dead");
		}
		try {
			Object result = method.invoke(repository, arguments);
			if (method.getName().equals("findIncompletePublicationsPublishedBefore")) {
				meet();
			}
			return result;
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
	}

	private void meet() {
		if (this.reads.incrementAndGet() == 1) {
			Patience.await().until(() -> this.oneIsDone || this.reads.get() > 1);
		}
		else {
			// Modulith refuses to resubmit a publication whose listener does not run yet.
			Patience.await().until(this.listenersRun::getAsBoolean);
		}
	}

}

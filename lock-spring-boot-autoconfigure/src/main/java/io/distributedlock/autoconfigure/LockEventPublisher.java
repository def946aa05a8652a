package io.distributedlock.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockEventListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.SingletonBeanRegistry;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.event.GenericApplicationListenerAdapter;
import org.springframework.context.support.AbstractApplicationContext;
import org.springframework.core.ResolvableType;
import org.springframework.util.function.SingletonSupplier;

/**
 * Publishes lock events to the {@link LockEventListener} beans and, as payloads, to the
 * application listeners.
 */
final class LockEventPublisher implements LockEventListener {

	private static final Log logger = LogFactory.getLog(LockEventPublisher.class);

	/** Named one by one, since a native image does not know what a type permits. */
	static final List<Class<? extends LockEvent>> EVENTS = List.of(LockEvent.Acquired.class, LockEvent.Released.class,
			LockEvent.Busy.class, LockEvent.Lost.class, LockEvent.RenewalFailed.class, LockEvent.ReleaseFailed.class,
			LockEvent.Unprotected.class);

	/** Looked up at the first event, because a listener may itself need the registry. */
	private final SingletonSupplier<List<LockEventListener>> listeners;

	private final ApplicationContext context;

	/** Nothing wants lock events, which was found out at the first one. */
	private volatile boolean deaf;

	private final AtomicBoolean searched = new AtomicBoolean();

	LockEventPublisher(ObjectProvider<LockEventListener> listeners, ApplicationContext context) {
		this.listeners = SingletonSupplier.of(() -> listeners.orderedStream().toList());
		this.context = context;
	}

	/**
	 * True also while that is unknown: the first event finds out, on a thread that may
	 * look up beans.
	 */
	@Override
	public boolean isListening() {
		return !this.deaf;
	}

	@Override
	public void onLockEvent(LockEvent event) {
		this.listeners.obtain().forEach((listener) -> tell(listener, event));
		tell(this.context::publishEvent, event);
		if (this.searched.compareAndSet(false, true)) {
			this.deaf = isDeaf();
		}
	}

	/** A parent context gets the event as well, and may get listeners. */
	private boolean isDeaf() {
		return this.listeners.obtain().isEmpty() && this.context.getParent() == null
				&& this.context instanceof AbstractApplicationContext known && !isOneToCome(known)
				&& known.getApplicationListeners().stream().noneMatch(LockEventPublisher::wantsOne);
	}

	/** Whether a listener bean is not made yet: it may want lock events. */
	private static boolean isOneToCome(AbstractApplicationContext context) {
		SingletonBeanRegistry made = context.getBeanFactory();
		return Arrays.stream(context.getBeanNamesForType(ApplicationListener.class, true, false))
			.anyMatch((name) -> !made.containsSingleton(BeanFactoryUtils.transformedBeanName(name)));
	}

	private static boolean wantsOne(ApplicationListener<?> listener) {
		GenericApplicationListenerAdapter adapter = new GenericApplicationListenerAdapter(listener);
		return EVENTS.stream()
			.map((event) -> ResolvableType.forClassWithGenerics(PayloadApplicationEvent.class, event))
			.anyMatch(adapter::supportsEventType);
	}

	private static void tell(LockEventListener listener, LockEvent event) {
		try {
			listener.onLockEvent(event);
		}
		catch (RuntimeException ex) {
			logger.warn("A listener failed on %s".formatted(event), ex);
		}
	}

}

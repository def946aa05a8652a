package io.distributedlock.autoconfigure;

import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;

import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

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
 * application listeners. If there are none, the engine stops asking
 * {@link #isListening()} for {@link LockEvent.Acquired} and {@link LockEvent.Released},
 * until another event of its registry. So a listener that is added later gets these two
 * only after such an event.
 */
final class LockEventPublisher implements LockEventListener {

	private static final LockLog logger = LockLog.of(LockEventPublisher.class);

	/** The event types, listed since a native image does not know permitted subtypes. */
	static final List<Class<? extends LockEvent>> EVENTS = List.of(LockEvent.Acquired.class, LockEvent.Released.class,
			LockEvent.Busy.class, LockEvent.Lost.class, LockEvent.RenewalFailed.class, LockEvent.Endangered.class,
			LockEvent.ReleaseFailed.class, LockEvent.Unprotected.class);

	/** Looked up at the first event, because a listener may itself need the registry. */
	private final SingletonSupplier<List<LockEventListener>> listeners;

	private final ApplicationContext context;

	/**
	 * The application listeners at the last event, if none of them wants lock events.
	 * {@code null} if one does, and before the first event.
	 */
	private volatile Object @Nullable [] deaf;

	LockEventPublisher(ObjectProvider<LockEventListener> listeners, ApplicationContext context) {
		this.listeners = SingletonSupplier.of(() -> listeners.orderedStream().toList());
		this.context = context;
	}

	/**
	 * Return {@code true} also while it is unknown: the next event finds out, on a thread
	 * that may look up beans.
	 */
	@Override
	public boolean isListening() {
		Object[] known = this.deaf;
		return known == null || !isStill(known);
	}

	/** Compare with the present listeners, which come and go without notice. */
	private boolean isStill(Object[] known) {
		try {
			int index = 0;
			for (Iterator<?> each = applicationListeners(this.context).iterator(); each.hasNext(); index++) {
				if (index >= known.length || each.next() != known[index]) {
					return false;
				}
			}
			return index == known.length;
		}
		catch (RuntimeException ex) {
			// A listener was added or removed meanwhile.
			return false;
		}
	}

	@Override
	public void onLockEvent(LockEvent event) {
		this.listeners.obtain().forEach((listener) -> tell(listener, event));
		tell(this.context::publishEvent, event);
		if (isListening()) {
			this.deaf = findDeaf();
		}
	}

	/**
	 * Return the application listeners if none wants lock events. {@code null} also with
	 * a parent context, which gets the events as well, and during the start: both may get
	 * listeners.
	 */
	private Object @Nullable [] findDeaf() {
		if (!this.listeners.obtain().isEmpty() || this.context.getParent() != null
				|| !(this.context instanceof AbstractApplicationContext own) || !own.isRunning() || isOneToCome()) {
			return null;
		}
		List<ApplicationListener<?>> there = List.copyOf(applicationListeners(this.context));
		return there.stream().anyMatch(LockEventPublisher::wantsOne) ? null : there.toArray();
	}

	private static Collection<ApplicationListener<?>> applicationListeners(ApplicationContext context) {
		return ((AbstractApplicationContext) context).getApplicationListeners();
	}

	/** Return whether a listener bean is not created yet: it may want lock events. */
	private boolean isOneToCome() {
		SingletonBeanRegistry made = ((AbstractApplicationContext) this.context).getBeanFactory();
		return Arrays.stream(this.context.getBeanNamesForType(ApplicationListener.class, true, false))
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
		catch (Throwable ex) {
			logger.warn("A listener failed on %s".formatted(event), ex);
		}
	}

}

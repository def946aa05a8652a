package io.distributedlock.autoconfigure;

import io.distributedlock.event.LockEvent;
import io.distributedlock.event.LockEventListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.util.function.SingletonSupplier;

/**
 * Tells lock events to the application: to its {@link LockEventListener} beans and, as
 * payloads, to its application listeners.
 */
final class LockEventPublisher implements LockEventListener {

	private static final Log logger = LogFactory.getLog(LockEventPublisher.class);

	/** Looked up at the first event, because a listener may itself need the registry. */
	private final SingletonSupplier<Iterable<LockEventListener>> listeners;

	private final ApplicationEventPublisher publisher;

	LockEventPublisher(ObjectProvider<LockEventListener> listeners, ApplicationEventPublisher publisher) {
		this.listeners = SingletonSupplier.of(() -> listeners.orderedStream().toList());
		this.publisher = publisher;
	}

	@Override
	public void onLockEvent(LockEvent event) {
		this.listeners.obtain().forEach((listener) -> tell(listener, event));
		tell(this.publisher::publishEvent, event);
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

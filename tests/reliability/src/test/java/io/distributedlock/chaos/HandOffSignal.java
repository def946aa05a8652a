package io.distributedlock.chaos;

import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.store.LockStore;
import io.distributedlock.store.WakeUpListener;
import io.distributedlock.test.store.DelegatingLockStore;

/**
 * A store that tells when a release of another process gives a lock to a waiter of this
 * one, before the engine learns of it.
 */
final class HandOffSignal extends DelegatingLockStore {

	private static final Runnable NONE = () -> {
	};

	private final AtomicReference<Runnable> next = new AtomicReference<>(NONE);

	HandOffSignal(LockStore delegate) {
		super(delegate);
	}

	/** Run an action once, at the next hand-off. */
	void atTheNext(Runnable action) {
		this.next.set(action);
	}

	@Override
	public void start(String instance, WakeUpListener listener) {
		super.start(instance, new PassingListener(listener) {

			@Override
			public void claimed(String encodedKey, String request, long token) {
				HandOffSignal.this.next.getAndSet(NONE).run();
				super.claimed(encodedKey, request, token);
			}

		});
	}

}

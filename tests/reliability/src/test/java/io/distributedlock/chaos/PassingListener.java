package io.distributedlock.chaos;

import io.distributedlock.store.WakeUpListener;

/** Passes all messages of a store on. */
class PassingListener implements WakeUpListener {

	private final WakeUpListener delegate;

	PassingListener(WakeUpListener delegate) {
		this.delegate = delegate;
	}

	@Override
	public void wakeUp(String encodedKey) {
		this.delegate.wakeUp(encodedKey);
	}

	@Override
	public void wakeUp(String encodedKey, String request) {
		this.delegate.wakeUp(encodedKey, request);
	}

	@Override
	public void claimed(String encodedKey, String request, long token) {
		this.delegate.claimed(encodedKey, request, token);
	}

	@Override
	public void revoked(String encodedKey, String request) {
		this.delegate.revoked(encodedKey, request);
	}

	@Override
	public void doubted() {
		this.delegate.doubted();
	}

	@Override
	public void wakeUpAll() {
		this.delegate.wakeUpAll();
	}

	@Override
	public void wakeUpsLost() {
		this.delegate.wakeUpsLost();
	}

}

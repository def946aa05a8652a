package com.example.mapstore;

import io.distributedlock.state.WakeUp;
import io.distributedlock.store.WakeUpListener;

/** Passes the messages of the map on, and says when some may be missing. */
final class WakeUpSubscriber implements LockMap.Subscriber {

	private final WakeUpListener listener;

	WakeUpSubscriber(WakeUpListener listener) {
		this.listener = listener;
	}

	@Override
	public void subscribed() {
		this.listener.wakeUpAll();
	}

	@Override
	public void received(String message) {
		WakeUp.ofEncoded(message).tell(this.listener);
	}

	@Override
	public void disconnected() {
		this.listener.wakeUpsLost();
	}

}

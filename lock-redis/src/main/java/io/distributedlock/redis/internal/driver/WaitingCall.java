package io.distributedlock.redis.internal.driver;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * A call that is to be sent, alone or with others, by the one thread that takes it.
 */
final class WaitingCall {

	final ScriptCall call;

	private final AtomicBoolean taken = new AtomicBoolean();

	/** Set while a caller waits here, until it is released. */
	private volatile @Nullable Thread caller;

	WaitingCall(ScriptCall call) {
		this.call = call;
	}

	/** Take the call; {@code true} for one thread only. */
	boolean take() {
		return this.taken.compareAndSet(false, true);
	}

	boolean isTaken() {
		return this.taken.get();
	}

	/** Note that the calling thread will wait. */
	void hold() {
		this.caller = Thread.currentThread();
	}

	boolean isHeld() {
		return this.caller != null;
	}

	/** Let the caller try again, if it waits. */
	void wake() {
		LockSupport.unpark(this.caller);
	}

	/** Let the caller go, if it waits. */
	void release() {
		Thread released = this.caller;
		this.caller = null;
		if (released != Thread.currentThread()) {
			LockSupport.unpark(released);
		}
	}

}

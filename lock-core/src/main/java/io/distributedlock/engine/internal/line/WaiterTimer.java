package io.distributedlock.engine.internal.line;

import io.distributedlock.engine.internal.time.HeapTimer;

/** The end of the budget of a waiter, which gives up then. */
final class WaiterTimer extends HeapTimer {

	private final Waiter waiter;

	WaiterTimer(Waiter waiter) {
		this.waiter = waiter;
	}

	/** Let a waiter give up at the end of its budget, if there is one. */
	static void watch(Waiter waiter) {
		if (waiter.deadline != Waiter.FOREVER && !waiter.isOnce()) {
			set(waiter, waiter.deadline);
		}
	}

	/** Let a waiter give up at a time, unless it is settled. */
	static void set(Waiter waiter, long end) {
		if (!waiter.isSettled()) {
			waiter.watch(new WaiterTimer(waiter), end);
		}
	}

	@Override
	public void fire(long now) {
		KeyQueue joined = this.waiter.place;
		if (joined != null) {
			joined.giveUp(this.waiter, joined.timeOutReason(this.waiter));
		}
	}

}

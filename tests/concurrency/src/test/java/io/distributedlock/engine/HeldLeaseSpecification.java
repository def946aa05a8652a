package io.distributedlock.engine;

/** A re-entrant lock. */
public class HeldLeaseSpecification {

	private int holder = -1;

	private int holds;

	public boolean tryLock(int thread) {
		if (this.holds > 0 && this.holder != thread) {
			return false;
		}
		this.holder = thread;
		this.holds++;
		return true;
	}

	public boolean unlock(int thread) {
		boolean held = isHeldByCurrentThread(thread);
		this.holds -= held ? 1 : 0;
		return held;
	}

	public boolean isHeldByCurrentThread(int thread) {
		return this.holds > 0 && this.holder == thread;
	}

}

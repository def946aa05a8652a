package io.distributedlock.engine;

/**
 * Something that is due at a time. The heap's fields live in the entry itself, so that
 * moving and removing cost a logarithm and no allocation.
 */
abstract class HeapTimer {

	long due;

	int index = -1;

	/**
	 * Called once the time has come, on the thread that drives the loop.
	 * @param now the time, not before the due time
	 */
	abstract void fire(long now);

	/** Called instead, when nobody will drive the loop any more. */
	void abort() {
	}

}

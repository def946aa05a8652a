package io.distributedlock.redis;

/**
 * A subscription to the channel of this instance, in the way of a driver.
 */
interface WakeUpSubscription {

	/** Subscribe; what fails later is told to the channel. */
	void start();

	void stop();

}

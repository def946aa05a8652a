package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;

import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;

/**
 * What the scripts of the Redis store do, each at a time that the caller names: the
 * model, the real ones, or broken ones.
 */
interface SimulationScripts {

	/** How long tokens and ended requests are remembered, in milliseconds. */
	long RETENTION = 20_000;

	AcquireOutcome acquire(long micros, AcquireCommand command);

	List<Boolean> renew(long micros, List<RenewCommand> commands);

	boolean release(long micros, List<LockKey> keys, RequestId request, RenewalMarks marks);

	boolean abandon(long micros, List<LockKey> keys, RequestId request);

	/** As {@link io.distributedlock.store.LockStore#replace}. */
	boolean replace(long micros, List<LockKey> keys, RequestId request, RequestId successor, Duration waiting);

	/** Take out what is known of a lock, as an eviction would. */
	void remove(LockKey key);

	/** Who was told of what since the last call, in order. */
	List<WakeUp> wakeUps();

	/**
	 * A message to an instance.
	 *
	 * @param instance the instance
	 * @param key the encoded key
	 * @param request whose turn it is, or empty
	 */
	record WakeUp(String instance, String key, String request) {
	}

}

package io.distributedlock.observation;

import java.util.List;

import io.distributedlock.LockMode;
import io.micrometer.observation.Observation;
import org.jspecify.annotations.Nullable;

/**
 * The data of one wait for a lock, or of one hold.
 *
 * @since 0.1.0
 */
public class LockObservationContext extends Observation.Context {

	private final LockObservation observation;

	private final String lockName;

	private final List<String> keys;

	private final LockMode mode;

	private volatile @Nullable Long token;

	private volatile @Nullable String outcome;

	/**
	 * Create a context.
	 * @param observation the kind of observation, a wait or a hold
	 * @param lockName the name of the lock, maybe empty
	 * @param keys the keys as the caller wrote them
	 * @param mode the mode
	 */
	public LockObservationContext(LockObservation observation, String lockName, List<String> keys, LockMode mode) {
		this.observation = observation;
		this.lockName = lockName;
		this.keys = List.copyOf(keys);
		this.mode = mode;
	}

	/**
	 * The kind of observation, a wait or a hold.
	 * @return the observation
	 */
	public LockObservation getObservation() {
		return this.observation;
	}

	/**
	 * The name of the lock.
	 * @return the name, maybe empty
	 */
	public String getLockName() {
		return this.lockName;
	}

	/**
	 * The keys, whose number has no limit.
	 * @return at least one key, as the caller wrote it
	 */
	public List<String> getKeys() {
		return this.keys;
	}

	/**
	 * The kind of lock.
	 * @return the mode
	 */
	public LockMode getMode() {
		return this.mode;
	}

	/**
	 * The fencing token, once the lock is held; that of the first key if there are
	 * several.
	 * @return the token, or {@code null} if there is none
	 */
	public @Nullable Long getToken() {
		return this.token;
	}

	void setToken(long token) {
		this.token = token;
	}

	/**
	 * The outcome of the wait or hold.
	 * @return one of the values that the documentation lists, or {@code null} before the
	 * end
	 */
	public @Nullable String getOutcome() {
		return this.outcome;
	}

	void setOutcome(String outcome) {
		this.outcome = outcome;
	}

}

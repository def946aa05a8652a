package io.distributedlock;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.TreeSet;

import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/**
 * A request for one or several locks, resolved for one call. Immutable; every method that
 * sets something returns a new request. Options that are not set here come from the
 * configuration.
 *
 * @since 0.1.0
 */
public final class LockRequest {

	/**
	 * The maximum number of different keys of one request. A server takes all of them in
	 * one step, and does nothing else meanwhile: this many take up to a tenth of a
	 * second.
	 */
	public static final int MAX_KEYS = 1_000;

	private final List<String> keys;

	private final String name;

	private final LockOptions options;

	private final @Nullable Object owner;

	private final boolean ofTemplate;

	private LockRequest(List<String> keys, String name, LockOptions options, @Nullable Object owner,
			boolean ofTemplate) {
		this.keys = keys;
		this.name = name;
		this.options = options;
		this.owner = owner;
		this.ofTemplate = ofTemplate;
	}

	/**
	 * A request for one key without a name.
	 * @param key the key, not blank
	 * @return the request
	 */
	public static LockRequest of(String key) {
		return of("", key);
	}

	/**
	 * A request for one key in a namespace, as in
	 * {@link LockRegistry#getLock(String, String)}. For several keys use
	 * {@link #ofAll(String...)}.
	 * @param name the name, or an empty string for none
	 * @param key the key, not blank
	 * @return the request
	 */
	public static LockRequest of(String name, String key) {
		return new LockRequest(List.of(requireKey(key)), requireName(name), LockOptions.NONE, null, false);
	}

	/**
	 * A request for several keys, taken together: all or none. Duplicates are dropped and
	 * the keys are taken in sorted order, so that overlapping requests cannot dead-lock.
	 * They have no name, unless {@link #name} gives them one.
	 * <p>
	 * While an exclusive request waits for one of the keys, those before it may be
	 * reserved for it: others find them busy. So a caller that holds one key and requests
	 * a smaller one may wait for such a request, which waits for this caller.
	 * @param keys the keys, none of them blank
	 * @return the request
	 * @throws IllegalArgumentException if there is none, or more than {@link #MAX_KEYS}
	 * that differ
	 */
	public static LockRequest ofAll(String... keys) {
		return ofAll(Arrays.asList(keys));
	}

	/**
	 * A request for several keys, taken together: all or none.
	 * @param keys the keys, none of them blank, at least one and at most
	 * {@link #MAX_KEYS} that differ
	 * @return the request
	 * @throws IllegalArgumentException if there is none, or more than {@link #MAX_KEYS}
	 * that differ
	 */
	public static LockRequest ofAll(Collection<String> keys) {
		return new LockRequest(distinct(keys), "", LockOptions.NONE, null, false);
	}

	/**
	 * Copy this request for other keys and another owner, in one step: for calls that
	 * differ in nothing else.
	 * @param keys the keys, as for {@link #ofAll(Collection)}
	 * @param owner the owner, as for {@link #ownedBy}, or {@code null} for none
	 * @return a new request
	 * @throws IllegalArgumentException as {@link #ofAll(Collection)}
	 */
	public LockRequest with(Collection<String> keys, @Nullable Object owner) {
		return new LockRequest(distinct(keys), this.name, this.options, owner, this.ofTemplate);
	}

	private static List<String> distinct(Collection<String> keys) {
		if (keys == null || keys.isEmpty()) {
			throw new IllegalArgumentException("A lock needs at least one key");
		}
		keys.forEach(LockRequest::requireKey);
		List<String> distinct = (keys.size() == 1) ? List.copyOf(keys) : List.copyOf(new TreeSet<>(keys));
		if (distinct.size() > MAX_KEYS) {
			throw new IllegalArgumentException(
					"A request may have %d keys (LockRequest.MAX_KEYS) but has %d, '%s' among them: lock one key that they have in common, or do the work in portions of that size"
						.formatted(MAX_KEYS, distinct.size(), DisplayText.lock("", distinct.get(0))));
		}
		return distinct;
	}

	private static String requireKey(@Nullable String key) {
		if (key == null || key.isBlank()) {
			throw new IllegalArgumentException("The key of a lock must not be null or blank");
		}
		return key;
	}

	private static String requireName(@Nullable String name) {
		if (name == null) {
			throw new IllegalArgumentException("The name of a lock must not be null: no name is an empty string");
		}
		return name;
	}

	/**
	 * Put the keys into a namespace, which is also the name of a tuning profile.
	 * @param name the name, or an empty string for none
	 * @return a new request
	 */
	public LockRequest name(String name) {
		return new LockRequest(this.keys, requireName(name), this.options, this.owner, this.ofTemplate);
	}

	/**
	 * Set how long the lock outlives a holder that died.
	 * @param ttl at least {@link LockOptions#MIN_TTL}, renewed ones at least
	 * {@link LockOptions#MIN_RENEWABLE_TTL}
	 * @return a new request
	 */
	public LockRequest ttl(Duration ttl) {
		return options(this.options.withTtl(ttl));
	}

	/**
	 * Set the total budget for getting the lock, including the time in the local queue.
	 * @param wait the budget; zero tries once
	 * @return a new request
	 */
	public LockRequest waitFor(Duration wait) {
		return options(this.options.withWaitFor(wait));
	}

	/**
	 * Switch renewal of the held lease on or off. Without renewal the ttl is a hard
	 * limit.
	 * @param renew {@code true} to renew
	 * @return a new request
	 */
	public LockRequest renew(boolean renew) {
		return options(this.options.withRenew(renew));
	}

	/**
	 * Stop renewal this long after the acquisition. This limit also ends the lock of a
	 * lease that is forgotten without being closed.
	 * @param maxHold the limit
	 * @return a new request
	 */
	public LockRequest maxHold(Duration maxHold) {
		return options(this.options.withMaxHold(maxHold));
	}

	/**
	 * Keep the lock taken at least this long after it was acquired, even if it is
	 * released or its holder dies.
	 * @param keepFor the time, in server time from the acquisition on
	 * @return a new request
	 */
	public LockRequest keepFor(Duration keepFor) {
		return options(this.options.withKeepFor(keepFor));
	}

	/**
	 * Keep the lock closed this long after the lease has run out without a release: the
	 * holder has died, was stopped, or has lost the store, and what it has sent may still
	 * arrive at a resource that cannot check a fencing token. There is no delay after a
	 * release. Readers have none, since they write nothing.
	 * @param lockDelay the time, in server time from the end of the lease on; at most
	 * {@link LockOptions#MAX_LOCK_DELAY}
	 * @return a new request
	 */
	public LockRequest lockDelay(Duration lockDelay) {
		return options(this.options.withLockDelay(lockDelay));
	}

	/**
	 * Set the kind of lock.
	 * @param mode the mode
	 * @return a new request
	 * @throws IllegalArgumentException if it has {@linkplain #permits permits} and the
	 * mode is not {@link LockMode#SEMAPHORE}
	 */
	public LockRequest mode(LockMode mode) {
		return options(this.options.withMode(mode));
	}

	/**
	 * Take a permit of a semaphore, or {@linkplain #take several}. All callers must name
	 * the same number, unless it was {@linkplain LockRegistry#setPermits set} for all.
	 * @param permits how many may hold the lock at once, between 1 and
	 * {@link LockOptions#MAX_PERMITS}
	 * @return a new request of mode {@link LockMode#SEMAPHORE}
	 * @throws IllegalArgumentException if another {@linkplain #mode mode} was set
	 */
	public LockRequest permits(int permits) {
		LockOptions wanted = this.options.withPermits(permits);
		return options((wanted.mode() != null) ? wanted : wanted.withMode(LockMode.SEMAPHORE));
	}

	/**
	 * Take several permits of a semaphore, all or none: they are renewed, released and
	 * lost as one. Between instances there is no order, so a request for many may wait
	 * for long behind requests for few.
	 * @param take how many, between 1 and {@link LockOptions#MAX_TAKE} and not more than
	 * the {@linkplain #permits permits}
	 * @return a new request
	 */
	public LockRequest take(int take) {
		return options(this.options.withTake(take));
	}

	/**
	 * Set the reaction to the loss of the lease. {@link WhenLost#INTERRUPT} needs a
	 * thread as the owner, or a reactive body.
	 * @param whenLost the policy
	 * @return a new request
	 */
	public LockRequest whenLost(WhenLost whenLost) {
		return options(this.options.withWhenLost(whenLost));
	}

	/**
	 * Replace all options.
	 * @param options the options
	 * @return a new request
	 * @throws IllegalArgumentException if they have permits and another mode than
	 * {@link LockMode#SEMAPHORE}
	 */
	public LockRequest options(LockOptions options) {
		LockMode mode = options.mode();
		if (options.permits() != null && mode != null && mode != LockMode.SEMAPHORE) {
			throw new IllegalArgumentException(
					"mode %s and permits %d contradict each other, since only a SEMAPHORE has permits: leave one of the two out"
						.formatted(mode, options.permits()));
		}
		return new LockRequest(this.keys, this.name, options, this.owner, this.ofTemplate);
	}

	/**
	 * Set the owner of the lease. A request with the same owner and key enters the lock
	 * again instead of waiting for itself. If the owner is a thread, renewal stops when
	 * the thread has ended.
	 * @param owner the owner: a {@link LockOwner}, which decides which locks it enters,
	 * or any other object. That is compared with {@code equals} under a lock of the
	 * engine, so the comparison must neither block nor throw
	 * @return a new request
	 */
	public LockRequest ownedBy(Object owner) {
		return new LockRequest(this.keys, this.name, this.options, owner, this.ofTemplate);
	}

	/**
	 * Set the calling thread as the owner of the lease.
	 * @return a new request
	 * @see #ownedBy(Object)
	 */
	public LockRequest ownedByCurrentThread() {
		return ownedBy(Thread.currentThread());
	}

	LockRequest ofTemplate(@Nullable Object owner) {
		return new LockRequest(this.keys, this.name, this.options, owner, true);
	}

	boolean isOfTemplate() {
		return this.ofTemplate;
	}

	/**
	 * The keys, distinct, and sorted if there are several.
	 * @return at least one key
	 */
	public List<String> keys() {
		return this.keys;
	}

	/**
	 * The namespace.
	 * @return the name, maybe empty
	 */
	public String name() {
		return this.name;
	}

	/**
	 * The options that this request sets.
	 * @return the options, maybe none set
	 */
	public LockOptions options() {
		return this.options;
	}

	/**
	 * The owner of the lease.
	 * @return the owner, or {@code null} if the lease has no owner
	 */
	public @Nullable Object owner() {
		return this.owner;
	}

	@Override
	public String toString() {
		LockMode mode = this.options.mode();
		Integer permits = this.options.permits();
		return "LockRequest[" + DisplayText.lock(this.name, this.keys.toString())
				+ ((mode != null) ? ", mode " + mode : "") + ((permits != null) ? ", permits " + permits : "") + "]";
	}

}

package io.distributedlock.redis;

import java.time.Duration;

import io.distributedlock.LockOptions;

import org.springframework.util.Assert;

/**
 * What can be set on a {@link RedisLockStore}.
 *
 * @param keyPrefix what every key and channel begins with, so that an ACL can name them
 * @param tokenRetention how long a key outlives its lease, with its last token and the
 * requests that ended
 * @param commandTimeout how long a command may go unanswered
 * @param wakeUpBySubscription whether waiters are woken through a subscription; if not,
 * they poll
 * @param replicaAcks how many replicas have to confirm an acquisition, and in what time,
 * which has to be shorter than the one for a command
 * @param sharedConnection whether the connections of the application are used; if not,
 * the store makes its own from what the application has configured
 * @since 0.1.0
 */
public record RedisStoreSettings(String keyPrefix, Duration tokenRetention, Duration commandTimeout,
		boolean wakeUpBySubscription, ReplicaAcks replicaAcks, boolean sharedConnection) {

	/** What waiting readers have after a release must not outlive the rest. */
	private static final Duration LEAST_RETENTION = Duration.ofSeconds(1);

	private static final Duration LEAST_TIMEOUT = Duration.ofMillis(1);

	/**
	 * Prefix {@code lock:}, a minute of retention, a second per command, wake-ups, no
	 * replicas, connections of the store's own.
	 */
	public static final RedisStoreSettings DEFAULTS = new RedisStoreSettings("lock:", Duration.ofSeconds(60),
			Duration.ofSeconds(1), true);

	/**
	 * Create settings.
	 * @throws IllegalArgumentException if the prefix is empty, has braces, does not end
	 * with a colon or has two colons in a row, or the retention is shorter than a second,
	 * the time-out than a millisecond, or one of them longer than
	 * {@link LockOptions#MAX_TTL}, or replicas are to confirm in more time than a command
	 * has
	 */
	public RedisStoreSettings {
		Assert.hasText(keyPrefix, "The key prefix must not be empty");
		Assert.isTrue(keyPrefix.indexOf('{') < 0 && keyPrefix.indexOf('}') < 0,
				() -> "The key prefix must not have braces, they would put all locks into one slot: " + keyPrefix);
		Assert.isTrue(keyPrefix.endsWith(":") && !keyPrefix.contains("::"),
				() -> "The key prefix must end with a colon and have no two in a row, or locks of different prefixes could meet: "
						+ keyPrefix);
		requireRange("token retention", tokenRetention, LEAST_RETENTION);
		requireRange("command timeout", commandTimeout, LEAST_TIMEOUT);
		Assert.isTrue(!replicaAcks.isWanted() || replicaAcks.timeout().compareTo(commandTimeout) < 0,
				() -> "The time for replicas, %s, must be shorter than the command timeout, %s"
					.formatted(replicaAcks.timeout(), commandTimeout));
	}

	/**
	 * Create settings that wait for no replica, with connections of the store's own.
	 * @param keyPrefix what every key and channel begins with
	 * @param tokenRetention how long a key outlives its lease
	 * @param commandTimeout how long a command may go unanswered
	 * @param wakeUpBySubscription whether waiters are woken through a subscription
	 */
	public RedisStoreSettings(String keyPrefix, Duration tokenRetention, Duration commandTimeout,
			boolean wakeUpBySubscription) {
		this(keyPrefix, tokenRetention, commandTimeout, wakeUpBySubscription, ReplicaAcks.NONE, false);
	}

	/**
	 * The same settings with a number of replicas that have to confirm an acquisition.
	 * @param acks how many, and in what time
	 * @return the settings
	 */
	public RedisStoreSettings withReplicaAcks(ReplicaAcks acks) {
		return new RedisStoreSettings(this.keyPrefix, this.tokenRetention, this.commandTimeout,
				this.wakeUpBySubscription, acks, this.sharedConnection);
	}

	/**
	 * The same settings with the connections of the application.
	 * @return the settings
	 */
	public RedisStoreSettings withSharedConnection() {
		return new RedisStoreSettings(this.keyPrefix, this.tokenRetention, this.commandTimeout,
				this.wakeUpBySubscription, this.replicaAcks, true);
	}

	private static void requireRange(String what, Duration value, Duration least) {
		Assert.isTrue(value.compareTo(least) >= 0 && value.compareTo(LockOptions.MAX_TTL) <= 0,
				() -> "The %s must be between %s and %s but is %s".formatted(what, least, LockOptions.MAX_TTL, value));
	}

}

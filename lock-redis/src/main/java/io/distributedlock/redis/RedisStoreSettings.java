package io.distributedlock.redis;

import java.time.Duration;
import java.util.regex.Pattern;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockOptions;

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

	private static final int LONGEST_PREFIX = 200;

	/**
	 * Blanks, what cannot be seen, half characters, hash tags, which would put all locks
	 * into one slot, and what a glob of an ACL would match.
	 */
	private static final Pattern UNSAFE_IN_PREFIX = Pattern.compile("[\\s\\p{Z}\\p{Cc}\\p{Cf}\\p{Cs}{}*?\\[\\]\\\\^]");

	/**
	 * Prefix {@code lock:}, a minute of retention, a second per command, wake-ups, no
	 * replicas, connections of the store's own.
	 */
	public static final RedisStoreSettings DEFAULTS = new RedisStoreSettings("lock:", Duration.ofSeconds(60),
			Duration.ofSeconds(1), true);

	/**
	 * Create settings.
	 * @throws InvalidSettingException if the prefix does not end with a colon, so that
	 * locks of different prefixes could meet, or cannot be written into an ACL, the
	 * retention is shorter than a second, the time-out than a millisecond, or one of them
	 * longer than {@link LockOptions#MAX_TTL}, or replicas are to confirm in more time
	 * than a command has
	 */
	public RedisStoreSettings {
		requirePrefix(keyPrefix);
		InvalidSettingException.requireRange("tokenRetention", tokenRetention, LEAST_RETENTION, LockOptions.MAX_TTL);
		InvalidSettingException.requireRange("commandTimeout", commandTimeout, LEAST_TIMEOUT, LockOptions.MAX_TTL);
		if (replicaAcks.isWanted() && replicaAcks.timeout().compareTo(commandTimeout) >= 0) {
			throw new InvalidSettingException("replicaAcksTimeout", replicaAcks.timeout(),
					"replicaAcksTimeout must be shorter than the timeout of commands, %s, but is %s".formatted(
							InvalidSettingException.text(commandTimeout),
							InvalidSettingException.text(replicaAcks.timeout())));
		}
	}

	private static void requirePrefix(String prefix) {
		if (prefix.isEmpty() || prefix.length() > LONGEST_PREFIX || UNSAFE_IN_PREFIX.matcher(prefix).find()
				|| !prefix.endsWith(":") || prefix.contains("::")) {
			throw new InvalidSettingException("keyPrefix", prefix,
					("keyPrefix must have 1 to %d characters, no blank, control character or any of { } [ ] * ? \\ ^, "
							+ "end with a colon and have no two in a row: use a plain prefix such as orders:lock:")
						.formatted(LONGEST_PREFIX));
		}
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

}

package io.distributedlock.redis;

import java.time.Duration;
import java.util.regex.Pattern;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockOptions;

/**
 * Settings of a {@link RedisLockStore}.
 *
 * @param keyPrefix the beginning of every key and channel, so that an ACL can name them
 * @param tokenRetention the time that a key outlives its lease, with its last token and
 * its tombstones
 * @param commandTimeout how long a command may go unanswered
 * @param wakeUpBySubscription {@code true} to wake waiters through a subscription,
 * {@code false} to let them poll
 * @param replicaAcks the number of replicas that have to confirm an acquisition, and
 * their time-out, which has to be shorter than that of a command
 * @param sharedConnection {@code true} to use the connections of the application;
 * {@code false} for own connections with the configuration of the application
 * @since 0.1.0
 */
public record RedisStoreSettings(String keyPrefix, Duration tokenRetention, Duration commandTimeout,
		boolean wakeUpBySubscription, ReplicaAcks replicaAcks, boolean sharedConnection) {

	/**
	 * The set of admitted readers lives for 999 ms after a release; the hash must outlive
	 * it.
	 */
	private static final Duration LEAST_RETENTION = Duration.ofSeconds(1);

	private static final Duration LEAST_TIMEOUT = Duration.ofMillis(1);

	private static final int LONGEST_PREFIX = 200;

	/**
	 * Blanks, invisible characters, lone surrogates, braces and wildcards of an ACL. A
	 * hash tag in braces would put all locks into one slot.
	 */
	private static final Pattern UNSAFE_IN_PREFIX = Pattern.compile("[\\s\\p{Z}\\p{Cc}\\p{Cf}\\p{Cs}{}*?\\[\\]\\\\^]");

	/**
	 * Prefix {@code lock:}, 60 s of retention, a time-out of 1 s, wake-ups, no replicas,
	 * connections of the store's own.
	 */
	public static final RedisStoreSettings DEFAULTS = new RedisStoreSettings("lock:", Duration.ofSeconds(60),
			Duration.ofSeconds(1), true);

	/**
	 * Create settings.
	 * @throws InvalidSettingException if the prefix does not end with a colon, which
	 * keeps locks of different prefixes apart, or cannot be written into an ACL; if the
	 * retention is shorter than a second or the time-out than a millisecond, or one of
	 * them longer than {@link LockOptions#MAX_TTL}; or if the time-out for replicas is
	 * not shorter than that of a command
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
	 * @param keyPrefix the beginning of every key and channel
	 * @param tokenRetention how long a key outlives its lease
	 * @param commandTimeout how long a command may go unanswered
	 * @param wakeUpBySubscription {@code true} to wake waiters through a subscription
	 */
	public RedisStoreSettings(String keyPrefix, Duration tokenRetention, Duration commandTimeout,
			boolean wakeUpBySubscription) {
		this(keyPrefix, tokenRetention, commandTimeout, wakeUpBySubscription, ReplicaAcks.NONE, false);
	}

	/**
	 * The same settings with a number of replicas that have to confirm an acquisition.
	 * @param acks the number and the time-out
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

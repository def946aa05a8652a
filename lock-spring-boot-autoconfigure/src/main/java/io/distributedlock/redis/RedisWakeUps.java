package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;

import io.distributedlock.redis.driver.RedisDriver;
import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.WakeUpListener;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * How this instance is told that a lock it waits for is free: on a cluster by sharded
 * channels, if the driver and all nodes have them and the user may use them, else by a
 * channel of its own. Its words in the store say which, so that instances of both kinds
 * wake each other.
 */
final class RedisWakeUps implements AutoCloseable {

	/** Listens on the channel of the instance. */
	static final long PLAIN = -1;

	private static final Log logger = LogFactory.getLog(RedisWakeUps.class);

	private final RedisDriver driver;

	private final String keyPrefix;

	private final WakeUpListener listener;

	private final RedisWakeUpChannel channel;

	private final @Nullable ShardedWakeUps sharded;

	RedisWakeUps(RedisDriver driver, String keyPrefix, String instance, WakeUpListener listener) {
		this.driver = driver;
		this.keyPrefix = keyPrefix;
		this.listener = listener;
		this.channel = new RedisWakeUpChannel(driver, channels(keyPrefix) + instance, listener);
		this.sharded = driver.hasShardChannels()
				? new ShardedWakeUps(driver::shardChannels, keyPrefix, instance, listener, this::refused) : null;
	}

	/** Channels and keys are different worlds, so a lock of that name does no harm. */
	static String channels(String keyPrefix) {
		return keyPrefix + "!wake:";
	}

	/**
	 * How this instance listens now to what happens in a slot.
	 * @param slot the slot
	 * @return {@link #PLAIN}, or a number that is different after every interruption
	 */
	long listening(int slot) {
		return (this.sharded != null && this.sharded.isOffered()) ? this.sharded.subscription(slot) : PLAIN;
	}

	/**
	 * This instance has left word that it waits. Does not block.
	 * @param slot the slot of the keys
	 * @param keys what it waits for
	 * @param waiting how long the word is good
	 * @param before how it was listening when it left its word
	 */
	void waits(int slot, List<LockKey> keys, Duration waiting, long before) {
		if (before == PLAIN || this.sharded == null) {
			this.channel.subscribe();
		}
		else if (this.sharded.isOffered()) {
			this.sharded.waits(slot, keys, waiting, before);
		}
		else {
			// The word says what is not true any more.
			keys.forEach((key) -> this.listener.lookAgain(key.encoded()));
		}
	}

	private void refused(Throwable failure) {
		String said = RedisErrors.refusal(failure);
		if (said != null) {
			PermissionProbe.warnOfMessagesToAll(this.driver,
					PermissionProbe.rule(RedisPermission.SSUBSCRIBE, said, this.keyPrefix));
		}
		else {
			logger.debug("The cluster has no sharded channels: releases are told to all of its nodes", failure);
		}
		if (!this.channel.subscribe()) {
			this.listener.wakeUpAll();
		}
	}

	/** Try sharded channels, and warn if the user may not use them. Does not block. */
	void probe() {
		if (this.sharded != null) {
			this.sharded.probe();
		}
	}

	/** This instance has another identity. Does not block. */
	void listenAs(String instance) {
		this.channel.listenTo(channels(this.keyPrefix) + instance);
		if (this.sharded != null) {
			this.sharded.listenAs(instance);
		}
	}

	void resubscribe() {
		this.channel.resubscribe();
		if (this.sharded != null) {
			this.sharded.resubscribe();
		}
	}

	@Override
	public void close() {
		this.channel.close();
		if (this.sharded != null) {
			this.sharded.close();
		}
	}

}

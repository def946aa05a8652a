package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;

/**
 * The messages of scripts to waiting instances on all wake-up channels: the channel
 * without its prefix, and the message.
 */
final class WakeUpMessages {

	private static final String PREFIX = "lock:";

	private static final String CHANNELS = PREFIX + "!wake:";

	private final BlockingQueue<String> messages = new LinkedBlockingQueue<>();

	private final RedisCommands<String, String> redis;

	private int marks;

	WakeUpMessages(RedisCommands<String, String> redis, StatefulRedisPubSubConnection<String, String> subscription) {
		this.redis = redis;
		subscription.addListener(new RedisPubSubAdapter<>() {
			@Override
			public void message(String pattern, String channel, String message) {
				received(channel, message);
			}
		});
		subscription.sync().psubscribe(CHANNELS + '*');
	}

	private void received(String channel, String message) {
		this.messages.add(channel.substring(CHANNELS.length()) + ' ' + message);
	}

	/**
	 * Take the messages since the last call, in order.
	 * @param keys the keys that are shown as "k", "k1" and so on
	 */
	List<String> take(List<String> keys) {
		Map<String, String> names = new HashMap<>();
		keys.forEach((key) -> names.put(key.substring(PREFIX.length()), "k" + (names.isEmpty() ? "" : names.size())));
		String mark = "mark" + this.marks++;
		this.redis.publish(CHANNELS + mark, "");
		List<String> taken = new ArrayList<>();
		for (String next = next(); !next.equals(mark + ' '); next = next()) {
			int blank = next.indexOf(' ') + 1;
			String[] lines = next.substring(blank).split("\n", 2);
			lines[0] = names.getOrDefault(lines[0], lines[0]);
			taken.add(next.substring(0, blank) + String.join("\n", lines));
		}
		return taken;
	}

	private String next() {
		try {
			String message = this.messages.poll(10, TimeUnit.SECONDS);
			if (message == null) {
				throw new AssertionError("The subscription is silent");
			}
			return message;
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}

package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * Subscribes and unsubscribes once, to warn of what the user may not. Nobody waits for
 * it, because a driver may wait for a subscription without end.
 */
final class SubscriptionProbe implements SubscribingConnection.Listener, Runnable {

	private static final Log logger = LogFactory.getLog(SubscriptionProbe.class);

	private final RedisConnectionFactory factory;

	private final CuttableConnection cuttable;

	private final String prefix;

	private volatile @Nullable SubscribingConnection connection;

	private volatile RedisPermission step = RedisPermission.SUBSCRIBE;

	SubscriptionProbe(RedisConnectionFactory factory, String prefix) {
		this.factory = factory;
		this.cuttable = new CuttableConnection(factory);
		this.prefix = prefix;
	}

	@Override
	public void run() {
		try {
			this.cuttable.use(this::attempt);
		}
		catch (RuntimeException ex) {
			String said = RedisFailures.refusal(ex);
			String rule = (said != null) ? PermissionProbe.rule(this.step, said, this.prefix) : "";
			if (PermissionProbe.isOptional(rule, this.prefix)) {
				PermissionProbe.warn(this.factory, rule);
			}
			else {
				// What no connection does without, the other probe tells, and as what it
				// is.
				logger.debug("Subscribing could not be tried", ex);
			}
		}
	}

	/** End it now, as whatever it waits for. Does not block. */
	void cut() {
		this.cuttable.cut();
	}

	private void attempt(SubscribingConnection borrowed) {
		this.connection = borrowed;
		borrowed.subscribe(this, (this.prefix + "!probe").getBytes(StandardCharsets.UTF_8));
		if (!RedisDrivers.subscribesInCaller(this.factory)) {
			unsubscribe(borrowed);
		}
	}

	private void unsubscribe(SubscribingConnection borrowed) {
		this.step = RedisPermission.UNSUBSCRIBE;
		borrowed.unsubscribe();
	}

	/** On the thread that subscribed, where that is blocked. */
	@Override
	public void onChannelSubscribed(byte[] channel, long count) {
		SubscribingConnection current = this.connection;
		if (current != null && RedisDrivers.subscribesInCaller(this.factory)) {
			unsubscribe(current);
		}
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		// Nobody publishes here.
	}

}

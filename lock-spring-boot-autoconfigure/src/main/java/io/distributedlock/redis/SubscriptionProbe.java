package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;

import io.distributedlock.redis.driver.CuttableConnection;
import io.distributedlock.redis.driver.RedisDriver;
import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.redis.driver.SubscribingConnection;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;

/**
 * Subscribes and unsubscribes once, to warn of what the user may not. Nobody waits for
 * it, because a driver may wait for a subscription without end.
 */
final class SubscriptionProbe implements SubscribingConnection.Listener, Runnable {

	private static final Log logger = LogFactory.getLog(SubscriptionProbe.class);

	private final RedisDriver driver;

	private final CuttableConnection cuttable;

	private final String prefix;

	private volatile @Nullable SubscribingConnection connection;

	private volatile RedisPermission step = RedisPermission.SUBSCRIBE;

	SubscriptionProbe(RedisDriver driver, String prefix) {
		this.driver = driver;
		this.cuttable = new CuttableConnection(driver);
		this.prefix = prefix;
	}

	@Override
	public void run() {
		try {
			this.cuttable.use(this::attempt);
		}
		catch (RuntimeException ex) {
			String said = RedisErrors.refusal(ex);
			String rule = (said != null) ? PermissionProbe.rule(this.step, said, this.prefix) : "";
			if (PermissionProbe.isOptional(rule, this.prefix)) {
				PermissionProbe.warn(this.driver, rule);
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
		if (!this.driver.subscribesInCaller()) {
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
		if (current != null && this.driver.subscribesInCaller()) {
			unsubscribe(current);
		}
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		// Nobody publishes here.
	}

}

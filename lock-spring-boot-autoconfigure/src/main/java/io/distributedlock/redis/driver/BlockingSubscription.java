package io.distributedlock.redis.driver;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;

/**
 * A subscription with a driver that blocks a thread for it, on a connection that may be
 * the pool's.
 * <p>
 * Unsubscribes exactly once, and only between Redis' confirmation of the subscription and
 * its end. Any later the connection may be back in the pool with the answer unread, and
 * each borrower reads the answer of the command before its own. That is what closing a
 * connection of Spring Data does whose subscription was refused, so such a one is
 * discarded instead. The thread is never interrupted while it is subscribed, since Jedis
 * then gives the connection back as it is. Where the server does not answer an
 * UNSUBSCRIBE, the connection is cut.
 */
final class BlockingSubscription implements WakeUpSubscription, SubscribingConnection.Listener, Runnable {

	private static final Log logger = LogFactory.getLog(BlockingSubscription.class);

	private final CuttableConnection cuttable;

	private final WakeUpSubscription.Listener channel;

	/** Confined to the thread. */
	private @Nullable SubscribingConnection connection;

	/** Present from its confirmation until its end. Guarded by this. */
	private @Nullable SubscribingConnection subscription;

	/** Guarded by this. */
	private boolean stopped;

	BlockingSubscription(Supplier<SubscribingConnection> connections, WakeUpSubscription.Listener channel) {
		this.cuttable = new CuttableConnection(connections);
		this.channel = channel;
	}

	@Override
	public void start() {
		DaemonThreads.named("subscription").newThread(this).start();
	}

	@Override
	public synchronized void stop() {
		this.stopped = true;
		unsubscribe();
		DaemonThreads.afterLastWords(this.cuttable::cut);
	}

	private void unsubscribe() {
		SubscribingConnection current = this.subscription;
		if (current != null) {
			this.subscription = null;
			try {
				current.unsubscribe();
			}
			catch (RuntimeException ex) {
				logger.debug("Unsubscribing failed", ex);
			}
		}
	}

	private synchronized boolean isStopped() {
		return this.stopped;
	}

	@Override
	public void run() {
		try {
			this.cuttable.use(this::listen);
			this.channel.ended(this, null);
		}
		catch (Throwable ex) {
			this.channel.ended(this, ex);
		}
	}

	private void listen(SubscribingConnection borrowed) {
		if (isStopped()) {
			return;
		}
		this.connection = borrowed;
		try {
			borrowed.subscribe(this, this.channel.channel().getBytes(StandardCharsets.UTF_8));
		}
		finally {
			synchronized (this) {
				this.subscription = null;
			}
		}
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		// What fails here would end the subscription without an UNSUBSCRIBE.
		try {
			this.channel.onMessage(message, pattern);
		}
		catch (RuntimeException ex) {
			logger.warn("A wake-up failed", ex);
		}
	}

	@Override
	public void onChannelSubscribed(byte[] subscribed, long count) {
		synchronized (this) {
			this.subscription = this.connection;
			if (this.stopped) {
				unsubscribe();
				return;
			}
		}
		try {
			this.channel.onChannelSubscribed(subscribed, count);
		}
		catch (RuntimeException ex) {
			logger.warn("A wake-up failed", ex);
		}
	}

}

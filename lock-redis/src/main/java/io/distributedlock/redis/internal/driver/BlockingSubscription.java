package io.distributedlock.redis.internal.driver;

import java.nio.charset.StandardCharsets;
import java.util.function.Supplier;

import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.Message;

/**
 * A subscription with a driver that blocks a thread for it, on a connection that may be
 * the pool's. With a driver that does not block, the thread checks now and then that the
 * subscription goes on.
 * <p>
 * It unsubscribes exactly once, and only between Redis' confirmation of the subscription
 * and its end. Later, the connection may be back in the pool with the answer unread, and
 * each borrower reads the answer of the command before its own. Closing a Spring Data
 * connection whose subscription was refused has this effect, so it is discarded instead.
 * With Jedis the thread is never interrupted while it is subscribed, since Jedis then
 * returns the connection as it is. If the server does not answer an UNSUBSCRIBE, the
 * connection is cut. Connections that were not borrowed, or were returned, are not
 * touched, since they are the application's.
 */
final class BlockingSubscription implements WakeUpSubscription, SubscribingConnection.Listener, Runnable {

	private static final LockLog logger = LockLog.of(BlockingSubscription.class);

	private static final long LOOK_MILLIS = 1_000;

	private final Supplier<SubscribingConnection> connections;

	private final WakeUpSubscription.Listener channel;

	/** The thread that borrows or has a connection. Guarded by this. */
	private @Nullable Thread user;

	/** The connection while it is borrowed. Guarded by this. */
	private @Nullable SubscribingConnection borrowed;

	/** Set from the confirmation of the subscription until its end. Guarded by this. */
	private boolean subscribed;

	/** Guarded by this. */
	private boolean stopped;

	BlockingSubscription(Supplier<SubscribingConnection> connections, WakeUpSubscription.Listener channel) {
		this.connections = connections;
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
		notifyAll();
		DaemonThreads.afterLastWords(this::cut);
	}

	private void unsubscribe() {
		SubscribingConnection current = this.borrowed;
		if (this.subscribed && current != null) {
			this.subscribed = false;
			try {
				current.unsubscribe();
			}
			catch (RuntimeException ex) {
				logger.debug("Unsubscribing failed", ex);
			}
		}
	}

	/**
	 * End the wait of the thread. Does not block. Repeated until the thread has left,
	 * since Jedis may have been about to connect once more.
	 */
	private synchronized void cut() {
		Thread blocked = this.user;
		SubscribingConnection current = this.borrowed;
		if (blocked == null) {
			return;
		}
		if (current == null) {
			blocked.interrupt();
		}
		else if (!current.cut(blocked)) {
			return;
		}
		DaemonThreads.afterLastWords(this::cut);
	}

	@Override
	public void run() {
		try {
			if (enter()) {
				listen();
			}
			this.channel.ended(this, null);
		}
		catch (Throwable ex) {
			this.channel.ended(this, ex);
		}
	}

	private void listen() {
		try {
			SubscribingConnection connection = this.connections.get();
			try {
				if (keep(connection)) {
					connection.subscribe(this, this.channel.channel().getBytes(StandardCharsets.UTF_8));
					awaitEnd(connection);
				}
			}
			finally {
				leave();
				connection.discard();
			}
		}
		finally {
			leave();
		}
	}

	private synchronized void awaitEnd(SubscribingConnection connection) {
		try {
			while (!this.stopped && connection.isSubscribed()) {
				wait(LOOK_MILLIS);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private synchronized boolean enter() {
		this.user = this.stopped ? null : Thread.currentThread();
		return !this.stopped;
	}

	private synchronized boolean keep(SubscribingConnection connection) {
		this.borrowed = connection;
		return !this.stopped;
	}

	private synchronized void leave() {
		this.subscribed = false;
		this.borrowed = null;
		this.user = null;
	}

	@Override
	public void onMessage(Message message, byte @Nullable [] pattern) {
		// A failure here would end the subscription without an UNSUBSCRIBE.
		try {
			this.channel.onMessage(message, pattern);
		}
		catch (RuntimeException ex) {
			logger.warn("A wake-up failed", ex);
		}
	}

	@Override
	public void onChannelSubscribed(byte[] channel, long count) {
		synchronized (this) {
			this.subscribed = true;
			if (this.stopped) {
				unsubscribe();
				return;
			}
		}
		try {
			this.channel.onChannelSubscribed(channel, count);
		}
		catch (RuntimeException ex) {
			logger.warn("A wake-up failed", ex);
		}
	}

}

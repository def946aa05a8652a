package io.distributedlock.redis.driver;

import java.util.function.Consumer;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;

/**
 * A connection that a thread borrows to block on it, maybe without end, until another
 * cuts it. That touches nothing that was not borrowed or was given back, since it is the
 * application's.
 */
public final class CuttableConnection {

	private final Supplier<SubscribingConnection> connections;

	/** Guarded by this. */
	private @Nullable Thread user;

	/** There while it is borrowed. Guarded by this. */
	private @Nullable SubscribingConnection borrowed;

	/** Guarded by this. */
	private boolean cut;

	/**
	 * Create one. Nothing is borrowed.
	 * @param connections where to borrow one
	 */
	public CuttableConnection(Supplier<SubscribingConnection> connections) {
		this.connections = connections;
	}

	/** Borrow one and do something with it, unless it was cut before; then discard it. */
	public void use(Consumer<SubscribingConnection> work) {
		if (!enter()) {
			return;
		}
		try {
			SubscribingConnection connection = this.connections.get();
			try {
				if (keep(connection)) {
					work.accept(connection);
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

	private synchronized boolean enter() {
		this.user = this.cut ? null : Thread.currentThread();
		return !this.cut;
	}

	private synchronized boolean keep(SubscribingConnection connection) {
		this.borrowed = connection;
		return !this.cut;
	}

	private synchronized void leave() {
		this.borrowed = null;
		this.user = null;
	}

	/**
	 * End what the thread waits for, for good. Does not block. Jedis may have been about
	 * to connect once more, so it is done again until the thread has left.
	 */
	public synchronized void cut() {
		this.cut = true;
		Thread blocked = this.user;
		if (blocked == null) {
			return;
		}
		SubscribingConnection connection = this.borrowed;
		boolean may = true;
		if (connection == null) {
			blocked.interrupt();
		}
		else {
			may = connection.cut(blocked);
		}
		if (may) {
			DaemonThreads.afterLastWords(this::cut);
		}
	}

}

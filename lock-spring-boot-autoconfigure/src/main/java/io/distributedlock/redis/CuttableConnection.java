package io.distributedlock.redis;

import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/**
 * A connection that a thread borrows to block on it, maybe without end, until another
 * cuts it. That touches nothing that was not borrowed or was given back, since it is the
 * application's.
 */
final class CuttableConnection {

	private final RedisConnectionFactory factory;

	/** Guarded by this. */
	private @Nullable Thread user;

	/** There while it is borrowed. Guarded by this. */
	private @Nullable RedisConnection borrowed;

	/** Guarded by this. */
	private boolean cut;

	CuttableConnection(RedisConnectionFactory factory) {
		this.factory = factory;
	}

	/** Borrow one and do something with it, unless it was cut before; then discard it. */
	void use(Consumer<RedisConnection> work) {
		if (!enter()) {
			return;
		}
		try {
			RedisConnection connection = RedisDrivers.subscribing(this.factory);
			try {
				if (keep(connection)) {
					work.accept(connection);
				}
			}
			finally {
				leave();
				RedisDrivers.discard(connection);
			}
		}
		finally {
			leave();
		}
	}

	private synchronized boolean enter() {
		this.user = Thread.currentThread();
		return !this.cut;
	}

	private synchronized boolean keep(RedisConnection connection) {
		this.borrowed = connection;
		return !this.cut;
	}

	private synchronized void leave() {
		this.borrowed = null;
		this.user = null;
	}

	/** End what the thread waits for, for good. Does not block. */
	synchronized void cut() {
		this.cut = true;
		RedisConnection connection = this.borrowed;
		Thread blocked = this.user;
		if (blocked != null && (connection == null || !RedisDrivers.cut(connection))) {
			blocked.interrupt();
		}
	}

}

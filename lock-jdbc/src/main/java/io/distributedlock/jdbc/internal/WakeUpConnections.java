package io.distributedlock.jdbc.internal;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import javax.sql.DataSource;

import io.distributedlock.store.DaemonThreadFactory;
import io.distributedlock.store.WakeUpListener;

/**
 * Messages to the registries that a store was started for. A registry is known by its
 * listener, which stays when the registry becomes another instance. Thread-safe.
 */
public final class WakeUpConnections implements AutoCloseable {

	private final DataSource dataSource;

	private final Duration timeout;

	private final DaemonThreadFactory threads = new DaemonThreadFactory("distributed-lock-wake-ups-");

	private final Function<String, ? extends CompletableFuture<?>> send;

	private final Map<WakeUpListener, WakeUpConnection> connections = new ConcurrentHashMap<>();

	private volatile boolean heard;

	/**
	 * Create connections, none of which is open yet.
	 * @param dataSource the source of direct connections
	 * @param timeout the longest wait for an answer of the server
	 * @param send sends a message to a channel, as the changes of locks do; must not
	 * block
	 */
	public WakeUpConnections(DataSource dataSource, Duration timeout,
			Function<String, ? extends CompletableFuture<?>> send) {
		this.dataSource = dataSource;
		this.timeout = timeout;
		this.send = send;
	}

	/**
	 * The channel of an instance.
	 * @param instance the instance
	 * @return the name of the channel, which needs quotes
	 */
	public static String channel(String instance) {
		return "distributed-lock:" + instance;
	}

	/**
	 * Add a registry, or change its instance. Does not block.
	 * @param instance the instance
	 * @param listener the registry
	 */
	public void start(String instance, WakeUpListener listener) {
		String channel = channel(instance);
		WakeUpConnection present = this.connections.get(listener);
		if (present != null) {
			present.listenTo(channel);
		}
		else {
			this.connections.put(listener,
					new WakeUpConnection(this.dataSource, this.timeout, channel, listener, this.send, this::changed));
			changed();
		}
	}

	/** Listen from now on, since a caller waits. Does not block. */
	public void listen() {
		if (!this.heard) {
			this.connections.values().forEach((each) -> each.begin(this.threads));
		}
	}

	private synchronized void changed() {
		this.heard = this.connections.values().stream().allMatch(WakeUpConnection::isListening);
	}

	/**
	 * Return whether messages arrive.
	 * @return {@code true} if they do, as far as is known
	 */
	public boolean isHeard() {
		return this.heard;
	}

	@Override
	public void close() {
		this.connections.values().forEach(WakeUpConnection::close);
		this.connections.clear();
	}

}

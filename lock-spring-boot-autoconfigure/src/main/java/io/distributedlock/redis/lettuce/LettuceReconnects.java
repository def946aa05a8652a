package io.distributedlock.redis.lettuce;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.distributedlock.redis.driver.Reconnects;
import io.distributedlock.redis.driver.RedisErrors;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.event.Event;
import io.lettuce.core.event.connection.ConnectionActivatedEvent;
import io.lettuce.core.event.connection.ReconnectFailedEvent;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;

/**
 * Why Lettuce cannot connect again at present: the commands that it keeps meanwhile do
 * not say so, they are just not answered. Thread-safe.
 */
final class LettuceReconnects implements Reconnects {

	/** What went wrong last, by host and port. */
	private final Map<String, String> failures = new ConcurrentHashMap<>();

	/** Whether nothing else uses the event bus. */
	private final boolean own;

	private final Disposable subscription;

	LettuceReconnects(AbstractRedisClient client, boolean own) {
		this.own = own;
		this.subscription = client.getResources().eventBus().get().subscribe(this::happened, (ended) -> {
			// The resources were shut down under the subscription.
		});
	}

	private void happened(Event event) {
		if (event instanceof ReconnectFailedEvent failed) {
			if (failed.remoteAddress() instanceof InetSocketAddress address) {
				this.failures.put(address.getHostString() + ':' + address.getPort(),
						RedisErrors.deepestMessage(failed.getCause()));
			}
		}
		else if (event instanceof ConnectionActivatedEvent connected) {
			forget(connected.remoteAddress());
		}
	}

	/** A connection knows the number of its host, and maybe not its name. */
	private void forget(SocketAddress connected) {
		if (connected instanceof InetSocketAddress address) {
			String port = ":" + address.getPort();
			this.failures.keySet().removeIf((server) -> server.endsWith(port));
		}
	}

	/**
	 * On a bus of its own any failure concerns the locks: Sentinel and a cluster name
	 * servers that are not configured, and a resolver may name another host.
	 */
	@Override
	public @Nullable String failure(String server) {
		return this.failures.entrySet()
			.stream()
			.filter((failure) -> this.own || failure.getKey().equals(server))
			.min(Comparator.comparing((failure) -> !failure.getKey().equals(server)))
			.map((failure) -> failure.getKey() + ": " + failure.getValue())
			.orElse(null);
	}

	@Override
	public void close() {
		this.subscription.dispose();
	}

}

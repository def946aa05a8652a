package io.distributedlock.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.store.LockKey;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;

/** A connection of the run's own, past the proxies. Used by one thread at a time. */
final class ServerAdmin implements AutoCloseable {

	private static final String LOCKS = "lock:*";

	private final RedisServer server;

	private final RedisClient client;

	private StatefulRedisConnection<String, String> connection;

	ServerAdmin(RedisServer server) {
		this.server = server;
		this.client = RedisClient.create();
		this.connection = connect();
	}

	private StatefulRedisConnection<String, String> connect() {
		return this.client.connect(RedisURI.builder()
			.withHost(this.server.host())
			.withPort(this.server.port())
			.withTimeout(Duration.ofSeconds(10))
			.build());
	}

	/** Where the server has a lock. */
	static String redisKey(String key) {
		return "lock:" + new LockKey("", key).encoded();
	}

	RedisCommands<String, String> commands() {
		return this.connection.sync();
	}

	/** Connect anew, after the server was away. */
	void reconnect() {
		this.connection.close();
		this.connection = connect();
	}

	/** Whether somebody has a lock whose lease is not over. */
	boolean isOwned(String key) {
		String deadline = commands().hget(key, "x");
		long now = Long.parseLong(commands().time().get(0)) * 1000;
		return commands().hexists(key, "o") && deadline != null && Long.parseLong(deadline) > now;
	}

	List<String> keys() {
		List<String> keys = new ArrayList<>();
		ScanCursor cursor = ScanCursor.INITIAL;
		while (!cursor.isFinished()) {
			KeyScanCursor<String> page = commands().scan(cursor, ScanArgs.Builder.matches(LOCKS).limit(1000));
			keys.addAll(page.getKeys());
			cursor = page;
		}
		return keys;
	}

	List<String> channels() {
		return commands().pubsubChannels(LOCKS);
	}

	/** How many clients the server has, this one not counted. */
	int otherClients() {
		return (int) commands().clientList().lines().count() - 1;
	}

	@Override
	public void close() {
		this.client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
	}

}

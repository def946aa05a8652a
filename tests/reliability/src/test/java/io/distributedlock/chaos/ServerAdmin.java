package io.distributedlock.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.redis.ShownLock;
import io.distributedlock.store.LockKey;
import io.lettuce.core.KeyScanCursor;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.Range;
import io.lettuce.core.Range.Boundary;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;

/** A connection of the run's own, past the proxies. Used by one thread at a time. */
final class ServerAdmin implements StoreAdmin {

	/** The type of a key that has the state of a lock. Its sorted sets have none. */
	private static final String LOCK = "hash";

	private static final String SHARED = "zset";

	/** Their scores are deadlines. */
	private static final Pattern HELD_OR_AWAITED = Pattern.compile("%(holders|readers):");

	/** The life of a key that there is not. */
	private static final long FADED = -2;

	private static final String LOCKS = "lock:*";

	private static final String NAME = "admin";

	/** Connections of the run, of Sentinels and of nodes among each other. */
	private static final Pattern ITS_OWN = Pattern
		.compile("name=(admin|sentinel-)| flags=[^ ]*[MS]| cmd=(restore|client)");

	private final RedisServer server;

	private final RedisClient client;

	private final StatefulRedisConnection<String, String> connection;

	ServerAdmin(RedisServer server) {
		this.server = server;
		this.client = RedisClient
			.create(ClientResources.builder().reconnectDelay(Delay.constant(Duration.ofMillis(50))).build());
		this.connection = connect();
	}

	private StatefulRedisConnection<String, String> connect() {
		return this.client.connect(RedisURI.builder()
			.withHost(this.server.host())
			.withPort(this.server.port())
			.withClientName(NAME)
			.withTimeout(Duration.ofSeconds(10))
			.build());
	}

	/** The key under which the server keeps a lock. */
	static String redisKey(String key) {
		return "lock:" + new LockKey("", key).encoded();
	}

	RedisCommands<String, String> commands() {
		return this.connection.sync();
	}

	/** The connection comes back by itself. */
	@Override
	public void awaitAnswer() {
		this.connection.sync().ping();
	}

	/**
	 * Return whether a lock has a holder whose lease is not over by the server's shifted
	 * clock.
	 */
	boolean isOwned(String key, Duration shift) {
		long now = Long.parseLong(commands().time().get(0)) * 1000 + shift.toMillis();
		return ShownLock.of(commands(), key).isHeld(now);
	}

	@Override
	public String type(String name) {
		return commands().type(name);
	}

	@Override
	public long life(String name) {
		long life = commands().pttl(name);
		return (life == FADED) ? 0 : life;
	}

	/**
	 * The lease of a process that was killed stays in its sorted set until the next
	 * command for the lock, or until the keys of the lock expire, and does not count.
	 */
	@Override
	public boolean isTaken(String name, String type, Duration shift) {
		return type.equals(LOCK) ? isOwned(name, shift)
				: type.equals(SHARED) && HELD_OR_AWAITED.matcher(name).find() && hasLater(name, shift);
	}

	/** Return whether a sorted set has a member with a future deadline. */
	private boolean hasLater(String key, Duration shift) {
		long now = Long.parseLong(commands().time().get(0)) * 1000 + shift.toMillis();
		return commands().zcount(key, Range.from(Boundary.excluding(now), Boundary.unbounded())) > 0;
	}

	@Override
	public List<String> keys() {
		List<String> keys = new ArrayList<>();
		ScanCursor cursor = ScanCursor.INITIAL;
		while (!cursor.isFinished()) {
			KeyScanCursor<String> page = commands().scan(cursor, ScanArgs.Builder.matches(LOCKS).limit(1000));
			keys.addAll(page.getKeys());
			cursor = page;
		}
		return keys;
	}

	@Override
	public List<String> channels() {
		List<String> channels = new ArrayList<>(commands().pubsubChannels(LOCKS));
		((List<?>) this.server.ask("PUBSUB", "SHARDCHANNELS", LOCKS))
			.forEach((channel) -> channels.add(channel.toString()));
		return channels;
	}

	@Override
	public int otherClients() {
		return (int) commands().clientList().lines().filter((client) -> !ITS_OWN.matcher(client).find()).count();
	}

	@Override
	public void close() {
		this.client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
	}

}

package io.distributedlock.hostile;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A server of its own, looked at byte by byte: no codec of a driver may stand between a
 * key and the statements about it.
 */
final class HostileRedis implements HostileStore {

	private static final RedisStoreSettings DEFAULTS = RedisStoreSettings.DEFAULTS;

	/** For single tries on a busy machine. */
	private static final RedisStoreSettings SETTINGS = new RedisStoreSettings(DEFAULTS.keyPrefix(),
			DEFAULTS.tokenRetention(), Duration.ofSeconds(20), true);

	private static final byte[] NOTHING = new byte[0];

	/** How many hashes have a lock that is held alone, or instances that wait. */
	private static final String COUNT = """
			local n = 0
			for _, key in ipairs(redis.call('KEYS', ARGV[2])) do
			  if redis.call('TYPE', key).ok == 'hash' then
			    local state, waiters = unpack(redis.call('HMGET', key, 'state', 'waiters'))
			    local held = state and string.byte(state, 2) == 1
			    if ARGV[1] == 'held' and held or ARGV[1] == 'waiters' and waiters then
			      n = n + 1
			    end
			  end
			end
			return n
			""";

	final RedisServer server = RedisServers.start();

	private final RedisClient client = RedisClient.create(RedisURI.create(this.server.host(), this.server.port()));

	private final RedisCommands<byte[], byte[]> commands = this.client.connect(ByteArrayCodec.INSTANCE).sync();

	private final LettuceConnectionFactory factory = connect();

	private LettuceConnectionFactory connect() {
		LettuceConnectionFactory connected = new LettuceConnectionFactory(
				new RedisStandaloneConfiguration(this.server.host(), this.server.port()),
				LettuceClientConfiguration.builder().shutdownQuietPeriod(Duration.ZERO).build());
		connected.afterPropertiesSet();
		connected.start();
		return connected;
	}

	@Override
	public LockStore createStore() {
		return new RedisLockStore(this.factory, SETTINGS);
	}

	@Override
	public void clear() {
		this.commands.flushall();
	}

	@Override
	public Set<String> stored() {
		Set<String> stored = new HashSet<>();
		for (String key : keys()) {
			if (!key.startsWith(SETTINGS.keyPrefix())) {
				throw new AssertionError("A key without the prefix: " + HostileName.escaped(key));
			}
			stored.add(key.substring(SETTINGS.keyPrefix().length()));
		}
		return stored;
	}

	/** All keys of the server. */
	List<String> keys() {
		return this.commands.keys("*").stream().map(HostileRedis::decoded).toList();
	}

	/** Strictly: a key that is not UTF-8 is an error. */
	private static String decoded(byte[] key) {
		try {
			return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(key)).toString();
		}
		catch (CharacterCodingException ex) {
			throw new AssertionError("A key that is not UTF-8", ex);
		}
	}

	@Override
	public int held() {
		return count("held", "*");
	}

	@Override
	public int waitedFor() {
		return count("waiters", "*");
	}

	private int count(String what, String keys) {
		Long count = this.commands.eval(COUNT, ScriptOutputType.INTEGER, new byte[][] {}, bytes(what), bytes(keys));
		return Math.toIntExact(count);
	}

	@Override
	public boolean isHeld(LockKey key) {
		byte[] state = this.commands.hget(bytes(SETTINGS.keyPrefix() + key.encoded()), bytes("state"));
		return state != null && state[1] == 1;
	}

	@Override
	public boolean isDeserted() {
		List<byte[]> channels = this.commands.pubsubChannels();
		return channels.isEmpty() && this.commands.pubsubNumpat() == 0;
	}

	@Override
	public void close() {
		this.factory.destroy();
		this.client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
		this.server.close();
	}

	private static byte[] bytes(String text) {
		return text.isEmpty() ? NOTHING : text.getBytes(StandardCharsets.UTF_8);
	}

}

package io.distributedlock.guard.redis;

import java.util.List;
import java.util.Optional;

import io.distributedlock.guard.FencedArguments;
import io.distributedlock.guard.StaleTokenException;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.DefaultRedisScript;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Guarded values in Redis: each is a hash with the value ({@code v}) and the newest token
 * that has written it ({@code f}), changed by one script. It may be another Redis than
 * that of the locks.
 * <p>
 * Thread-safe. A value has no expiry, since its fence would go with it; deleting the key,
 * an eviction and the loss of data make the guard forget. Needs Spring Data Redis.
 *
 * @since 0.1.0
 */
public final class RedisFencingGuard {

	private static final RedisScript<Long> WRITE = script();

	private final StringRedisTemplate redis;

	/**
	 * Create a guard.
	 * @param redis the template for the Redis that keeps the values
	 */
	public RedisFencingGuard(StringRedisTemplate redis) {
		this.redis = redis;
	}

	private static RedisScript<Long> script() {
		DefaultRedisScript<Long> script = new DefaultRedisScript<>();
		script.setLocation(new ClassPathResource("fenced-write.lua", RedisFencingGuard.class));
		script.setResultType(Long.class);
		return script;
	}

	/**
	 * Write a value, unless a writer with a newer token was here before. Idempotent.
	 * @param key the Redis key, used as it is
	 * @param token the fencing token of the writer, equal tokens are accepted
	 * @param value the value
	 * @throws StaleTokenException if the writer is late; nothing was written
	 * @throws IllegalStateException in {@code MULTI} or a pipeline, where the answer
	 * comes too late for the writer; nothing was written
	 */
	public void write(String key, long token, String value) {
		FencedArguments.check(key, token);
		if (answersLater()) {
			throw new IllegalStateException(
					"'%s' cannot be guarded in MULTI or a pipeline, where Redis answers later: write before or after it, or give the guard a template without transaction support"
						.formatted(key));
		}
		Long highest = this.redis.execute(WRITE, List.of(key), Long.toString(token), value);
		if (highest == null || highest > token) {
			throw new StaleTokenException(key, token, highest);
		}
	}

	/**
	 * Return whether Redis answers later. Checked before, because the script would be
	 * sent with the rest anyway.
	 */
	private boolean answersLater() {
		return Boolean.TRUE.equals(this.redis
			.execute((RedisConnection connection) -> connection.isQueueing() || connection.isPipelined()));
	}

	/**
	 * Read a guarded value.
	 * @param key the Redis key
	 * @return the value, or empty if nothing was written yet
	 */
	public Optional<String> read(String key) {
		return Optional.ofNullable(this.redis.<String, String>opsForHash().get(key, "v"));
	}

}

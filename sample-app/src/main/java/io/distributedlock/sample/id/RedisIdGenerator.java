package io.distributedlock.sample.id;

import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import org.springframework.core.io.ClassPathResource;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.data.redis.core.script.RedisScript;

/**
 * Reserves ids in Redis, a block of {@value IdBlock#SIZE} per round trip. A block is one
 * microsecond of the server's clock that was not given out before; the key remembers the
 * last one.
 * <p>
 * Blocks lie in the past or present of the server's clock, never ahead of it. So a lost
 * key loses nothing: the first call after the loss gives out no block, but marks all time
 * up to now as used. All earlier blocks lie in that time. This holds unless the clock
 * goes back by more than the time the key was away, by an operator or by a fail-over. If
 * the clock is set back while the key exists, callers wait, and fail after
 * {@link #PATIENCE}.
 * <p>
 * A block is given up one second after it was asked for, so that an instance that is
 * rarely used does not make old ids.
 */
public final class RedisIdGenerator implements IdGenerator {

	/**
	 * Longest use of a block, and so the largest difference between the order of ids and
	 * of time.
	 */
	static final Duration BLOCK_AGE = Duration.ofSeconds(1);

	/** Longest wait of a caller for the server's clock. */
	static final Duration PATIENCE = Duration.ofSeconds(1);

	private static final RedisScript<Long> RESERVE = RedisScript
		.of(new ClassPathResource("reserve-ids.lua", RedisIdGenerator.class), Long.class);

	private final StringRedisTemplate redis;

	private final List<String> keys;

	private final LongSupplier nanoTicker;

	/** Guards the refill. Takers that still find an id do not wait for it. */
	private final ReentrantLock refill = new ReentrantLock();

	private volatile IdBlock block;

	/**
	 * Create a generator.
	 * @param redis the Redis that has the key
	 * @param key the key that all instances share
	 */
	public RedisIdGenerator(StringRedisTemplate redis, String key) {
		this(redis, key, System::nanoTime);
	}

	RedisIdGenerator(StringRedisTemplate redis, String key, LongSupplier nanoTicker) {
		this.redis = redis;
		this.keys = List.of(key);
		this.nanoTicker = nanoTicker;
		this.block = IdBlock.none(nanoTicker.getAsLong());
	}

	@Override
	public long next() {
		OptionalLong id = this.block.take(this.nanoTicker.getAsLong());
		return id.isPresent() ? id.getAsLong() : nextOfNewBlock();
	}

	private long nextOfNewBlock() {
		this.refill.lock();
		try {
			OptionalLong id = this.block.take(this.nanoTicker.getAsLong());
			while (id.isEmpty()) {
				this.block = reserve();
				id = this.block.take(this.nanoTicker.getAsLong());
			}
			return id.getAsLong();
		}
		finally {
			this.refill.unlock();
		}
	}

	private IdBlock reserve() {
		long patience = PATIENCE.toNanos();
		while (true) {
			long askedAt = this.nanoTicker.getAsLong();
			Long answer = this.redis.execute(RESERVE, this.keys);
			if (answer != null && answer > 0) {
				return new IdBlock(answer, askedAt + BLOCK_AGE.toNanos());
			}
			patience -= waitForClock((answer != null) ? -answer : 1, patience);
		}
	}

	/**
	 * Wait for the time that the script has answered.
	 * @return the elapsed time, but at most that time: a longer pause of the thread says
	 * nothing about the clock
	 */
	private long waitForClock(long micros, long patience) {
		long nanos = TimeUnit.MICROSECONDS.toNanos(micros);
		if (nanos > patience) {
			throw new IdsUnavailableException(
					"The clock of Redis is %d ms behind the last id under '%s': it was set back, or moved to a server whose clock is behind"
						.formatted(TimeUnit.MICROSECONDS.toMillis(micros), this.keys.get(0)));
		}
		long begun = this.nanoTicker.getAsLong();
		LockSupport.parkNanos(this, nanos);
		return Math.min(nanos, this.nanoTicker.getAsLong() - begun);
	}

}

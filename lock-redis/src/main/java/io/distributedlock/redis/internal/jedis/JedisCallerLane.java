package io.distributedlock.redis.internal.jedis;

import java.time.Duration;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.distributedlock.redis.internal.driver.CallerLane;
import io.distributedlock.redis.internal.driver.NumberedCommand;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.Connection;
import redis.clients.jedis.Protocol;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

import static java.nio.charset.StandardCharsets.US_ASCII;

/**
 * Connections from the pool of the locks that are kept for callers. An interrupt does not
 * reach a thread that reads from a socket, so each read has a short limit. If a server
 * takes longer, callers do not use it for a while.
 */
final class JedisCallerLane implements CallerLane {

	/**
	 * Maximum number of connections: more callers are better off with the driver's
	 * threads.
	 */
	static final int MOST_CONNECTIONS = 4;

	private static final int LONGEST_MILLIS = 40;

	private static final long FIRST_REST_NANOS = Duration.ofSeconds(1).toNanos();

	private static final long LONGEST_REST_NANOS = Duration.ofMinutes(1).toNanos();

	/** Returns {@code null} if the client has no connection to give away. */
	private final Supplier<@Nullable Connection> pool;

	private final Deque<Connection> idle = new ConcurrentLinkedDeque<>();

	private final Queue<Connection> ended = new ConcurrentLinkedQueue<>();

	private final AtomicInteger connections = new AtomicInteger();

	private final AtomicBoolean opening = new AtomicBoolean();

	/** Counts the ends, so that a connection from before is not kept. */
	private final AtomicInteger ends = new AtomicInteger();

	private volatile long restsUntil = System.nanoTime();

	private volatile long rest = FIRST_REST_NANOS;

	JedisCallerLane(Supplier<@Nullable Connection> pool) {
		this.pool = pool;
	}

	@Override
	public @Nullable Object run(Supplier<@Nullable NumberedCommand> command, long nanos) {
		int millis = (int) Math.min(nanos / 1_000_000, LONGEST_MILLIS);
		int ends = this.ends.get();
		Connection connection = (millis > 0 && !rests() && !Thread.currentThread().isInterrupted()) ? this.idle.poll()
				: null;
		if (connection == null) {
			return null;
		}
		boolean intact = false;
		try {
			NumberedCommand wanted = command.get();
			if (wanted == null) {
				intact = true;
				return null;
			}
			Object answer = wanted.said(evaluate(connection, wanted, millis));
			intact = true;
			this.rest = FIRST_REST_NANOS;
			return answer;
		}
		catch (JedisDataException ex) {
			// For example, the server does not know the script; the driver then sends it.
			intact = true;
			return null;
		}
		catch (RuntimeException ex) {
			// The cause has likely ended the other connections as well.
			rest();
			endIdle();
			return null;
		}
		finally {
			giveBack(connection, intact, ends);
		}
	}

	private static Object evaluate(Connection connection, NumberedCommand command, int millis) {
		byte[][] values = command.values();
		byte[][] all = new byte[2 + values.length][];
		all[0] = command.script().digest;
		all[1] = Integer.toString(command.keyCount()).getBytes(US_ASCII);
		System.arraycopy(values, 0, all, 2, values.length);
		connection.setSoTimeout(millis);
		connection.sendCommand(Protocol.Command.EVALSHA, all);
		return connection.getOne();
	}

	private boolean rests() {
		return System.nanoTime() - this.restsUntil < 0;
	}

	private void rest() {
		long pause = this.rest;
		this.restsUntil = System.nanoTime() + pause;
		this.rest = Math.min(2 * pause, LONGEST_REST_NANOS);
	}

	private void giveBack(Connection connection, boolean intact, int ends) {
		if (!intact) {
			end(connection);
			return;
		}
		this.idle.push(connection);
		if (ends != this.ends.get()) {
			endIdle();
		}
	}

	/**
	 * End a connection. It is returned later, since the pool may open another one then.
	 */
	private void end(Connection connection) {
		this.connections.decrementAndGet();
		connection.setBroken();
		quietly(connection::disconnect);
		this.ended.add(connection);
	}

	private void giveBackEnded() {
		for (Connection next = this.ended.poll(); next != null; next = this.ended.poll()) {
			quietly(next::close);
		}
	}

	private static void quietly(Runnable end) {
		try {
			end.run();
		}
		catch (JedisException ignored) {
			// It has ended all the same.
		}
	}

	@Override
	public boolean isInUse() {
		return this.connections.get() > 0 && !rests();
	}

	@Override
	public boolean wantsMore() {
		return this.connections.get() < MOST_CONNECTIONS && !rests() && this.opening.compareAndSet(false, true);
	}

	@Override
	public void open() {
		int ends = this.ends.get();
		Connection opened = null;
		try {
			giveBackEnded();
			opened = this.pool.get();
		}
		finally {
			if (opened == null) {
				rest();
			}
			else {
				this.connections.incrementAndGet();
				giveBack(opened, true, ends);
			}
			this.opening.set(false);
		}
	}

	/** End all connections; new ones may be opened. */
	void endAll() {
		this.ends.incrementAndGet();
		endIdle();
		giveBackEnded();
	}

	private void endIdle() {
		for (Connection next = this.idle.poll(); next != null; next = this.idle.poll()) {
			end(next);
		}
	}

}

package io.distributedlock.jdbc.internal;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.distributedlock.jdbc.internal.LockStatements.Cleaned;
import io.distributedlock.store.StoreCall;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

/**
 * Deletes rows whose time is over, far from any command: slice after slice in the order
 * of the names, so that it needs no index that would make each change of a lock dearer.
 * Each instance does so; a row that another one has locked is left to the next time.
 * Thread-safe.
 */
public final class CleanUp implements AutoCloseable {

	private static final LockLog logger = LockLog.of(CleanUp.class);

	private static final Duration LEAST = Duration.ofSeconds(1);

	private static final Duration MOST = Duration.ofSeconds(60);

	/** The pause between two slices, since other commands want the connections too. */
	private static final long PAUSE_MILLIS = 100;

	private final JdbcLane lane;

	private final LockStatements statements;

	private final long intervalMillis;

	private final AtomicBoolean started = new AtomicBoolean();

	private volatile boolean closed;

	/**
	 * Create a clean-up that has not started.
	 * @param lane the threads and connections
	 * @param statements the statements
	 * @param retention time for which rows outlive their locks
	 */
	public CleanUp(JdbcLane lane, LockStatements statements, Duration retention) {
		this.lane = lane;
		this.statements = statements;
		Duration longest = (retention.compareTo(MOST) > 0) ? MOST : retention;
		this.intervalMillis = ((longest.compareTo(LEAST) < 0) ? LEAST : longest).toMillis();
	}

	/** Clean the table from now on, unless it is done already. Does not block. */
	public void start() {
		if (this.started.compareAndSet(false, true)) {
			schedule("");
		}
	}

	/** Instances that have started together need not clean together. */
	private void schedule(String after) {
		long millis = after.isEmpty()
				? this.intervalMillis / 2 + ThreadLocalRandom.current().nextLong(this.intervalMillis) : PAUSE_MILLIS;
		CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, Runnable::run).execute(() -> clean(after));
	}

	private void clean(String after) {
		if (!this.closed) {
			StoreCall.send(() -> this.lane.later((connection) -> this.statements.clean(connection, after)))
				.whenComplete(this::cleaned);
		}
	}

	private void cleaned(@Nullable Cleaned slice, @Nullable Throwable failure) {
		if (failure != null) {
			logger.debug("The table of the locks was not cleaned", failure);
		}
		schedule((slice != null) ? slice.last() : "");
	}

	@Override
	public void close() {
		this.closed = true;
	}

}

package io.distributedlock.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

import io.distributedlock.state.StateLockStore.Expected;
import io.distributedlock.state.StateLockStore.Replacement;
import io.distributedlock.state.StateLockStore.Stored;
import io.distributedlock.state.StateLockStore.Swap;
import io.distributedlock.state.WakeUp;
import io.distributedlock.store.LockKey;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

/** Reads and replaces states, and remembers what it has seen. Thread-safe. */
public final class LockTableAccess {

	private static final LockLog logger = LockLog.of(LockTableAccess.class);

	private final JdbcLane lane;

	private final LockStatements statements;

	private final SeenStates seen = new SeenStates(System::nanoTime);

	/** Set once it was said that the server takes no more messages. */
	private final AtomicBoolean warned = new AtomicBoolean();

	/**
	 * Create the access.
	 * @param lane the threads and connections
	 * @param statements the statements
	 */
	public LockTableAccess(JdbcLane lane, LockStatements statements) {
		this.lane = lane;
		this.statements = statements;
	}

	/**
	 * Return the state that is likely to be there.
	 * @param key the lock
	 * @return the state, or {@code null} if it is not known
	 */
	public @Nullable Expected expect(LockKey key) {
		return this.seen.expect(key.encoded());
	}

	/**
	 * Read a state.
	 * @param key the lock
	 * @return the state
	 */
	public CompletableFuture<Stored> read(LockKey key) {
		String name = key.encoded();
		return this.lane.call((connection) -> {
			Stored stored = this.statements.read(connection, name);
			this.seen.read(name, stored);
			return stored;
		});
	}

	/**
	 * Replace a state if it is the expected one.
	 * @param replacement the states
	 * @param wakeUps messages to send in the same step
	 * @return the answer
	 */
	public CompletableFuture<Swap> replace(Replacement replacement, List<WakeUp> wakeUps) {
		return this.lane.call((connection) -> {
			Swap swap = replace(connection, replacement, wakeUps);
			swapped(replacement, swap);
			return swap;
		});
	}

	private void swapped(Replacement replacement, Swap swap) {
		this.seen.swapped(replacement.key().encoded(), replacement.expected(), swap, holds(replacement));
	}

	private static boolean holds(Replacement replacement) {
		return !replacement.row().owners().isEmpty();
	}

	/**
	 * Replace a state. Where transactions are repeatable or serializable by default, the
	 * server refuses what another one has changed meanwhile.
	 */
	private Swap replace(Connection connection, Replacement replacement, List<WakeUp> wakeUps) throws SQLException {
		try {
			return withMessages(wakeUps, (messages) -> this.statements.replace(connection, replacement, messages));
		}
		catch (SQLException ex) {
			if (!SqlFailures.isConflict(ex)) {
				throw ex;
			}
			return Swap.refused(this.statements.read(connection, replacement.key().encoded()));
		}
	}

	/**
	 * Run a statement with its messages, or without them if the server has no room for
	 * more: waiters attempt now and then anyway.
	 */
	private <T> T withMessages(List<WakeUp> wakeUps, WithMessages<T> statement) throws SQLException {
		try {
			return statement.send(wakeUps);
		}
		catch (SQLException ex) {
			if (wakeUps.isEmpty() || !SqlFailures.isTooManyMessages(ex)) {
				throw ex;
			}
			if (!this.warned.getAndSet(true)) {
				logger.warn("PostgreSQL takes no more wake-ups, since a session that listens is in a long transaction. "
						+ "Until that ends, waiters poll: " + ex.getMessage());
			}
			return statement.send(List.of());
		}
	}

	/**
	 * Send a message to an instance by itself, on another thread. It may get lost.
	 * @param wakeUp the message
	 */
	public void send(WakeUp wakeUp) {
		this.lane.later((connection) -> this.statements.send(connection, wakeUp));
	}

	/**
	 * Send an empty message on another thread, to see whether messages arrive.
	 * @param channel the channel
	 * @return done when it was sent
	 */
	public CompletableFuture<Boolean> sendTo(String channel) {
		return this.lane.later((connection) -> this.statements.send(connection, channel, ""));
	}

	/**
	 * Replace the states of different locks, each for itself. None is taken.
	 * @param replacements the states
	 * @param wakeUps messages to send in the same step
	 * @return the answers in this order
	 */
	public List<CompletableFuture<Swap>> replace(List<Replacement> replacements, List<WakeUp> wakeUps) {
		if (replacements.size() <= 1) {
			return replacements.stream().map((each) -> replace(each, wakeUps)).toList();
		}
		CompletableFuture<Map<String, Swap>> all = this.lane.call((connection) -> {
			Map<String, Swap> swaps = replaceAll(connection, replacements, wakeUps);
			replacements.forEach((each) -> swapped(each, answer(swaps, each.key().encoded())));
			return swaps;
		});
		return replacements.stream()
			.map((each) -> all.thenApply((swaps) -> answer(swaps, each.key().encoded())))
			.toList();
	}

	private Map<String, Swap> replaceAll(Connection connection, List<Replacement> replacements, List<WakeUp> wakeUps)
			throws SQLException {
		try {
			return withMessages(wakeUps, (messages) -> this.statements.replaceAll(connection, replacements, messages));
		}
		catch (SQLException ex) {
			if (!SqlFailures.isConflict(ex)) {
				throw ex;
			}
			Map<String, Swap> swaps = new HashMap<>();
			for (Replacement each : replacements) {
				swaps.put(each.key().encoded(), Swap.refused(this.statements.read(connection, each.key().encoded())));
			}
			return swaps;
		}
	}

	/**
	 * Read the states of several locks.
	 * @param keys the locks
	 * @return the states in this order
	 */
	public CompletableFuture<List<Stored>> readTogether(List<LockKey> keys) {
		return this.lane.call((connection) -> {
			List<Stored> all = this.statements.sets.read(connection, keys);
			for (int i = 0; i < all.size(); i++) {
				this.seen.read(keys.get(i).encoded(), all.get(i));
			}
			return all;
		});
	}

	/**
	 * Replace the states of several locks, all or none.
	 * @param expected the states of all locks of the command
	 * @param replacements the new states of those that change
	 * @param wakeUps messages to send in the same step
	 * @return the answers in the order of the expected states
	 */
	public CompletableFuture<List<Swap>> replaceTogether(Map<LockKey, Expected> expected,
			List<Replacement> replacements, List<WakeUp> wakeUps) {
		return this.lane.call((connection) -> {
			List<Swap> swaps = replaceTogether(connection, expected, replacements, wakeUps);
			Set<LockKey> held = replacements.stream()
				.filter(LockTableAccess::holds)
				.map(Replacement::key)
				.collect(Collectors.toSet());
			Iterator<Swap> each = swaps.iterator();
			expected.forEach((key, state) -> this.seen.swapped(key.encoded(), state, each.next(), held.contains(key)));
			return swaps;
		});
	}

	private List<Swap> replaceTogether(Connection connection, Map<LockKey, Expected> expected,
			List<Replacement> replacements, List<WakeUp> wakeUps) throws SQLException {
		try {
			return withMessages(wakeUps,
					(messages) -> this.statements.sets.replace(connection, expected, replacements, messages));
		}
		catch (SQLException ex) {
			if (!SqlFailures.isConflict(ex) && !SqlFailures.isDuplicate(ex)) {
				throw ex;
			}
			return this.statements.sets.read(connection, expected.keySet()).stream().map(Swap::refused).toList();
		}
	}

	private static Swap answer(Map<String, Swap> swaps, String name) {
		return Objects.requireNonNull(swaps.get(name), name);
	}

	/**
	 * A statement that sends messages.
	 *
	 * @param <T> the type of its result
	 */
	@FunctionalInterface
	private interface WithMessages<T> {

		T send(List<WakeUp> messages) throws SQLException;

	}

}

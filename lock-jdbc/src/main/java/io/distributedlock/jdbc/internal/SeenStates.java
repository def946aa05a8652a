package io.distributedlock.jdbc.internal;

import java.time.Duration;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.LongSupplier;

import io.distributedlock.state.StateLockStore.Expected;
import io.distributedlock.state.StateLockStore.Stored;
import io.distributedlock.state.StateLockStore.Swap;
import org.jspecify.annotations.Nullable;

/**
 * The last states that this store has seen, and a lower bound of the server's time:
 * guesses that the server confirms. A key that was never seen is expected to have no row.
 * A lock that others change too is not guessed while it is not held here.
 * <p>
 * The bound is the time of an answer plus what has passed since it came, minus an
 * allowance for clocks that run at different speeds. It is never before the time of the
 * answer that brought or confirmed the state, so not before the state was written.
 * Thread-safe.
 */
final class SeenStates {

	/**
	 * How much later than expected a statement may run. Leases get longer by it, and the
	 * server refuses a later one, which costs another round trip.
	 */
	static final Duration WITHIN = Duration.ofMillis(10);

	/** Maximum size of the states in bytes: some ten thousand, with a request each. */
	private static final long MOST = 8_000_000;

	/** Size of an entry of the map, without its texts. */
	private static final int ENTRY = 200;

	/** A ten thousandth, as two clocks may differ that are not adjusted. */
	private static final long DRIFT_NANOS = 10_000;

	private final LongSupplier nanoTime;

	/** The one that was used last is last. Guarded by itself, as is its size. */
	private final Map<String, Seen> states = new LinkedHashMap<>(16, 0.75f, true);

	private long size;

	private volatile @Nullable Reading reading;

	SeenStates(LongSupplier nanoTime) {
		this.nanoTime = nanoTime;
	}

	/**
	 * Return the expected state of a key, or {@code null} if it has to be read: before
	 * the first answer, and if others change it.
	 */
	@Nullable Expected expect(String name) {
		Reading last = this.reading;
		if (last == null) {
			return null;
		}
		long micros = last.micros(this.nanoTime.getAsLong());
		Seen seen;
		synchronized (this.states) {
			seen = this.states.get(name);
		}
		if (seen == null) {
			return new Expected(null, micros, WITHIN);
		}
		return (seen.shared && !seen.held) ? null
				: new Expected(seen.stored.text(), Math.max(micros, seen.stored.micros()), WITHIN);
	}

	/** Note a state that was read. Where it is as before, others change it no more. */
	void read(String name, Stored stored) {
		seen(name, stored, false, false);
		answered(stored.micros(), false);
	}

	/**
	 * Note the answer to a replacement.
	 * @param held {@code true} if the new state has an owner
	 */
	void swapped(String name, Expected expected, Swap swap, boolean held) {
		Stored stored = swap.stored();
		boolean isOther = !Objects.equals(stored.text(), expected.text());
		seen(name, stored, !swap.isDone() && isOther, swap.isDone() && held);
		boolean isBefore = stored.micros() < expected.micros();
		answered(stored.micros(), isBefore && !expected.within().isZero());
	}

	private void seen(String name, Stored stored, boolean others, boolean held) {
		synchronized (this.states) {
			Seen before = this.states.remove(name);
			this.size -= size(name, before);
			if (stored.text() != null) {
				boolean isSame = before != null && stored.text().equals(before.stored.text());
				boolean wasShared = before != null && before.shared;
				boolean isHeld = held || (isSame && before.held);
				Seen seen = new Seen(stored, others || (wasShared && !isSame), isHeld);
				this.states.put(name, seen);
				this.size += size(name, seen);
			}
			Iterator<Map.Entry<String, Seen>> eldest = this.states.entrySet().iterator();
			while (this.size > MOST) {
				Map.Entry<String, Seen> next = eldest.next();
				this.size -= size(next.getKey(), next.getValue());
				eldest.remove();
			}
		}
	}

	private static int size(String name, @Nullable Seen seen) {
		String text = (seen != null) ? seen.stored.text() : null;
		return (text != null) ? ENTRY + name.length() + text.length() : 0;
	}

	/**
	 * Note the time of an answer, if it gives a better bound.
	 * @param isBack {@code true} if the server's time is before the bound: its clock was
	 * set back
	 */
	private void answered(long micros, boolean isBack) {
		long now = this.nanoTime.getAsLong();
		Reading last = this.reading;
		if (last == null || isBack || micros > last.micros(now)) {
			this.reading = new Reading(micros, now);
		}
	}

	/**
	 * A state.
	 *
	 * @param stored the state, as it was seen last
	 * @param shared {@code true} if another store has changed it since it was seen before
	 * @param held {@code true} if this store has written it, with an owner
	 */
	private record Seen(Stored stored, boolean shared, boolean held) {
	}

	/**
	 * An answer of the server.
	 *
	 * @param serverMicros the server's time when it was given
	 * @param nanos the time when it came
	 */
	private record Reading(long serverMicros, long nanos) {

		/** Return the server's time at least. */
		long micros(long now) {
			long passed = Math.max(0, now - this.nanos);
			return this.serverMicros + (passed - passed / DRIFT_NANOS) / 1_000;
		}

	}

}

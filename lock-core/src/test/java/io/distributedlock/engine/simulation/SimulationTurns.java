package io.distributedlock.engine.simulation;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.LockMode;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;

/**
 * Checks which request may get a lock next: none overtakes an earlier fair waiter, no new
 * reader is admitted while a writer waits, and tokens grow. It keeps its own account of
 * the commands and the answers of the server. Times are milliseconds of the server.
 */
final class SimulationTurns {

	/** Readers let in before a writer come at once, or when they look again. */
	private static final long READERS_MILLIS = 1_000 + 1_000;

	/** A waiter entry of that age has expired, whatever the clock was then. */
	private static final long BLURRED_MILLIS = 10_000;

	private static final long MARGIN_MILLIS = 100;

	private final SimulationWorld world;

	private final Map<LockKey, Line> lines = new HashMap<>();

	SimulationTurns(SimulationWorld world) {
		this.world = world;
	}

	private Line line(LockKey key) {
		return this.lines.computeIfAbsent(key, (missing) -> new Line());
	}

	/** Record the state of a lock before a request for it. */
	void looksAt(LockKey key, boolean taken, long now) {
		Line line = line(key);
		if (taken || line.taken) {
			line.takenAt = now;
		}
		line.taken = taken;
	}

	void busy(AcquireCommand command, AcquireOutcome.Busy busy, long now) {
		long until = now + command.waiting().toMillis();
		if (until == now || !command.mode().isExclusive()) {
			return;
		}
		if (command.mode() == LockMode.FAIR) {
			boolean again = command.keys().stream().allMatch((key) -> line(key).hasPlace(command.request(), now));
			boolean signs = !command.claim().isZero();
			command.keys().forEach((key) -> line(key).queue(command.request(), new Place(now, until, signs), again));
		}
		LockKey waitedFor = command.keys().get(busy.index());
		command.keys()
			.stream()
			.filter((key) -> key != waitedFor)
			.forEach((key) -> line(key).writers.remove(command.request()));
		line(waitedFor).waits(command.request(), until, now);
	}

	/**
	 * A request gets a lock, with others that it did not have.
	 * @param reserved {@code true} if the lock was reserved for it: then it overtakes no
	 * waiter that has come since
	 */
	void granted(AcquireCommand command, LockKey key, long token, boolean reserved, long now) {
		Line line = line(key);
		RequestId request = command.request();
		if (command.mode().isExclusive()) {
			line.fair.forEach((other, place) -> {
				if (!reserved && !line.blurred && line.lasts(other, now) && !other.equals(request)
						&& line.isBefore(other, request)) {
					this.world.violation("%s gives %s to %s before %s", now, key, request, other);
				}
			});
			line.taken = true;
		}
		else if (command.mode() == LockMode.READ && command.beside() == null) {
			checkNoWriterWaits(line, key, request, now);
		}
		line.leave(request);
		boolean grows = command.mode() != LockMode.READ || line.token == 0;
		if (grows ? token <= line.token : token < line.token) {
			this.world.violation("%s: the token of %s is not larger than %s", key, request, line.token);
		}
		line.token = token;
	}

	private void checkNoWriterWaits(Line line, LockKey key, RequestId request, long now) {
		line.writers.forEach((writer, place) -> {
			long since = Math.max(place.since, line.takenAt);
			long calm = this.world.now() - (now - since) * 1_000_000;
			if (place.until > now && now - since > READERS_MILLIS + MARGIN_MILLIS && this.world.isCalmSince(calm)) {
				this.world.violation("%s lets %s in while %s waits for %d ms", key, request, writer, now - since);
			}
		});
	}

	/** A fair request is woken: its place lasts until the last sign of its instance. */
	void woken(LockKey key, RequestId request) {
		line(key).fair.computeIfPresent(request,
				(woken, place) -> new Place(place.since, line(key).end(woken, place), false));
	}

	/** An instance has one word in a line, which goes with any of its requests. */
	void ended(LockKey key, RequestId request, long now) {
		Line line = line(key);
		line.leave(request);
		line.writers.replaceAll((writer, place) -> writer.instance().equals(request.instance())
				? new Place(now, place.until, false) : place);
	}

	/** A fair request goes on in the place of another one that had the lock. */
	void replaced(LockKey key, RequestId successor, long until, long now) {
		line(key).precede(successor, until, now);
	}

	/** The lock was lost, or the clock has been set. */
	void forget(LockKey key) {
		this.lines.remove(key);
	}

	/**
	 * The clock was set. Waiters of that time may keep their places or not, which is not
	 * known here.
	 */
	void jumped() {
		this.lines.values().forEach((line) -> {
			line.blurred = true;
			line.writers.clear();
		});
	}

	/** Another server answers, which knows the lines as they were once, or not. */
	void failedOver(long now) {
		SimulationOptions.KEYS.stream().map(this::line).forEach((line) -> {
			line.blurred = true;
			line.blurredUntil = now + BLURRED_MILLIS;
			line.writers.clear();
			line.token = 0;
		});
	}

	/**
	 * The place of a waiter.
	 *
	 * @param since since when
	 * @param until when it expires unless it is refreshed
	 * @param signs {@code true} if it lasts as long as its instance gives signs of life
	 */
	private record Place(long since, long until, boolean signs) {

		private static Place next(Place before, long until, long now) {
			return new Place((before != null && before.until > now) ? before.since : now, until, false);
		}

	}

	/** The known state of one lock. */
	private static final class Line {

		/** In order. */
		private final Map<RequestId, Place> fair = new LinkedHashMap<>();

		/** Until when the last sign of life of an instance counts. */
		private final Map<String, Long> signs = new HashMap<>();

		/** Exclusive requests of any mode. */
		private final Map<RequestId, Place> writers = new LinkedHashMap<>();

		/** {@code true} if places in the line may differ from the known ones. */
		private boolean blurred;

		private long blurredUntil;

		private boolean taken;

		private long takenAt;

		private long token;

		boolean hasPlace(RequestId request, long now) {
			Place place = this.fair.get(request);
			return place != null && lasts(request, now);
		}

		private boolean lasts(RequestId request, long now) {
			return end(request, this.fair.get(request)) > now;
		}

		private long end(RequestId request, Place place) {
			return place.signs ? this.signs.get(request.instance()) : place.until;
		}

		void queue(RequestId request, Place place, boolean again) {
			long now = place.since;
			this.blurred &= now < this.blurredUntil || this.fair.entrySet()
				.stream()
				.anyMatch((each) -> end(each.getKey(), each.getValue()) > now - BLURRED_MILLIS);
			if (!again) {
				this.fair.remove(request);
			}
			this.fair.put(request, place);
			if (place.signs) {
				sign(request.instance(), place.until, now);
			}
		}

		/** Places do not come back to life once a sign was late. */
		private void sign(String instance, long until, long now) {
			Long before = this.signs.put(instance, until);
			if (before != null && before <= now) {
				this.fair.replaceAll(
						(other, place) -> (place.signs && other.instance().equals(instance) && place.since < now)
								? new Place(place.since, before, false) : place);
			}
		}

		void precede(RequestId request, long until, long now) {
			Map<RequestId, Place> others = new LinkedHashMap<>(this.fair);
			others.remove(request);
			this.fair.clear();
			this.fair.put(request, new Place(now, until, false));
			this.fair.putAll(others);
		}

		/**
		 * A contender has one request for a lock at a time: a later one takes over the
		 * word that an earlier one has left, and takes it along when it ends.
		 */
		void waits(RequestId request, long until, long now) {
			Place before = this.writers.get(request);
			for (RequestId other : List.copyOf(this.writers.keySet())) {
				if (other.isOfSameContender(request) && other.number() < request.number()) {
					before = this.writers.remove(other);
				}
			}
			this.writers.put(request, Place.next(before, until, now));
		}

		boolean isBefore(RequestId other, RequestId request) {
			for (RequestId queued : this.fair.keySet()) {
				if (queued.equals(request)) {
					return false;
				}
				if (queued.equals(other)) {
					return true;
				}
			}
			return true;
		}

		void leave(RequestId request) {
			this.fair.remove(request);
			this.writers.remove(request);
		}

	}

}

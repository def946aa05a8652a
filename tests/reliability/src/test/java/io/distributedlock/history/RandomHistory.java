package io.distributedlock.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Collectors;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * A small history of one lock: first one that a right lock could have made, then, most of
 * the time, a few numbers in it changed. Times are few, so that many are equal.
 */
final class RandomHistory {

	final String key;

	final List<Acquisition> acquisitions = new ArrayList<>();

	final List<Write> writes = new ArrayList<>();

	private final Random random;

	RandomHistory(String key, Random random) {
		this.key = key;
		this.random = random;
		acquire(2 + random.nextInt(3));
		write(random.nextInt(4));
		for (int changes = random.nextInt(8); changes > 0; changes--) {
			change();
		}
	}

	private void acquire(int count) {
		long t = 0;
		for (int i = 0; i < count; i++) {
			Acquisition acquisition = new Acquisition();
			long granted = t + this.random.nextInt(3);
			acquisition.asked = Math.max(0, granted - this.random.nextInt(6));
			acquisition.answered = Math.max(granted, acquisition.asked + 1) + this.random.nextInt(3);
			acquisition.token = 10 + 2 * i;
			acquisition.validUntil = granted + this.random.nextInt(8);
			t = Math.max(granted, acquisition.validUntil);
			if (this.random.nextInt(3) == 0) {
				acquisition.renewed = acquisition.answered + 1 + this.random.nextInt(4);
				acquisition.renewedUntil = acquisition.validUntil + this.random.nextInt(5);
				t = Math.max(t, acquisition.renewedUntil);
			}
			if (this.random.nextBoolean()) {
				acquisition.ended = Math.max(acquisition.answered, acquisition.renewed) + 1 + this.random.nextInt(4);
				acquisition.how = this.random.nextInt(3);
				t = Math.max(granted, Math.min(t, acquisition.ended));
			}
			this.acquisitions.add(acquisition);
		}
	}

	private void write(int count) {
		long highest = 0;
		long value = 0;
		for (int i = 0; i < count; i++) {
			Write write = new Write();
			write.token = 10 + 2 * this.random.nextInt(3);
			write.accepted = write.token >= highest;
			write.prev = value;
			write.val = this.random.nextInt(3);
			if (write.accepted) {
				highest = write.token;
				value = write.val;
			}
			this.writes.add(write);
		}
	}

	private void change() {
		if (!this.writes.isEmpty() && this.random.nextInt(8) == 0) {
			Write write = this.writes.get(this.random.nextInt(this.writes.size()));
			switch (this.random.nextInt(3)) {
				case 0 -> write.token += this.random.nextInt(7) - 3;
				case 1 -> write.accepted = !write.accepted;
				default -> write.prev = this.random.nextInt(3);
			}
			return;
		}
		Acquisition acquisition = this.acquisitions.get(this.random.nextInt(this.acquisitions.size()));
		switch (this.random.nextInt(5)) {
			case 0 -> acquisition.token += this.random.nextInt(7) - 3;
			case 1 -> acquisition.asked = this.random.nextInt((int) acquisition.answered);
			case 2 -> acquisition.validUntil += this.random.nextInt(7) - 1;
			case 3 -> acquisition.renewedUntil += this.random.nextInt(7);
			default -> acquisition.later(this.random.nextInt(6));
		}
	}

	/** The events, each request in a process of its own. */
	List<Event> events() {
		List<Event> events = new ArrayList<>();
		for (int i = 0; i < this.acquisitions.size(); i++) {
			add(events, this.acquisitions.get(i), "p" + i);
		}
		for (int i = 0; i < this.writes.size(); i++) {
			Write write = this.writes.get(i);
			events.add(Event.of(Op.WRITE, write.accepted ? Phase.OK : Phase.FAIL, this.key)
				.at(i)
				.by(Witness.PROC, "")
				.lease("w", write.token)
				.values(write.prev, write.val));
		}
		return events;
	}

	@Override
	public String toString() {
		return events().stream().sorted(HistoryFile.ORDER).map(Event::toString).collect(Collectors.joining("\n"));
	}

	private void add(List<Event> events, Acquisition a, String proc) {
		Event event = Event.of(Op.ACQUIRE, Phase.INVOKE, this.key).by(this.key + proc, "").lease(this.key + proc, 0);
		events.add(event.at(a.asked));
		Event held = event.lease(event.request(), a.token);
		events.add(held.as(Op.ACQUIRE, Phase.OK).at(a.answered).validUntil(a.validUntil));
		if (a.renewed > 0) {
			events.add(held.as(Op.RENEW, Phase.OK).at(a.renewed).validUntil(a.renewedUntil));
		}
		if (a.ended > 0 && a.how == 0) {
			events.add(held.as(Op.RELEASE, Phase.INVOKE).at(a.ended));
		}
		else if (a.ended > 0 && a.how == 1) {
			events.add(held.as(Op.LOST, Phase.OK).at(a.ended));
		}
		else if (a.ended > 0) {
			Event kill = Event.of(Op.NEMESIS, Phase.INVOKE, Event.ALL)
				.by("nemesis", event.proc())
				.lease("kill " + event.proc(), 0)
				.result(NemesisKind.KILL.name(), "");
			events.add(kill.at(a.ended));
			events.add(kill.as(Op.NEMESIS, Phase.OK).at(a.ended));
		}
	}

	/** The events of one request. Times that are zero did not come. */
	static final class Acquisition {

		long asked;

		long answered;

		long token;

		long validUntil;

		long renewed;

		long renewedUntil;

		long ended;

		int how;

		private void later(int by) {
			this.answered += by;
			this.renewed += (this.renewed > 0) ? by : 0;
			this.ended += (this.ended > 0) ? by : 0;
		}

		/** The last moment at which its holder believed, or the least number if never. */
		long lastBelief() {
			long end = (this.ended > 0) ? this.ended : Long.MAX_VALUE;
			long first = Math.min(this.validUntil, end);
			long second = (this.renewed > 0) ? Math.min(this.renewedUntil, end) : Long.MIN_VALUE;
			long last = Long.MIN_VALUE;
			if (first > this.answered) {
				last = first;
			}
			if (second > this.renewed) {
				last = Math.max(last, second);
			}
			return last;
		}

	}

	/** A write as the witness saw it. */
	static final class Write {

		long token;

		boolean accepted;

		long prev;

		long val;

	}

}

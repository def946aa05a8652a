package io.distributedlock.history;

import java.util.Random;
import java.util.function.Consumer;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * A history of any length of locks that work: several processes contend, hold, renew,
 * write and release; now and then one is killed, and a lock is forgotten and its loss
 * told.
 */
final class LongHistory {

	private static final int KEYS = 50;

	private static final int PROCS = 4;

	private static final long LEASE = 1_000_000_000;

	private final Random random = new Random(1);

	private final Consumer<Event> consumer;

	private final long[] values = new long[KEYS];

	private long t;

	private long token;

	private long requests;

	private int restarts;

	private LongHistory(Consumer<Event> consumer) {
		this.consumer = consumer;
	}

	static void generate(long acquisitions, Consumer<Event> consumer) {
		LongHistory history = new LongHistory(consumer);
		for (long i = 0; i < acquisitions; i++) {
			history.acquire(history.random.nextInt(KEYS));
		}
	}

	/** Two ask; the first gets it, and then the second if both live. */
	private void acquire(int key) {
		Event first = ask(key);
		Event second = ask(key);
		int before = this.restarts;
		hold(key, got(first));
		if (this.restarts > before) {
			return;
		}
		if (this.random.nextInt(3) == 0) {
			emit(second.as(Op.ACQUIRE, Phase.FAIL));
		}
		else {
			hold(key, got(second));
		}
	}

	private Event ask(int key) {
		String proc = "p" + this.random.nextInt(PROCS) + "-" + this.restarts;
		Event event = Event.of(Op.ACQUIRE, Phase.INVOKE, "key-" + key)
			.by(proc, "main")
			.lease(proc + "-" + ++this.requests, 0);
		emit(event);
		return event;
	}

	private Event got(Event asked) {
		this.token += 1 + this.random.nextInt(3);
		Event held = asked.lease(asked.request(), this.token);
		emit(held.as(Op.ACQUIRE, Phase.OK).validUntil(this.t + LEASE));
		return held;
	}

	private void hold(int key, Event held) {
		emit(held.as(Op.ENTER, Phase.OK));
		long value = this.values[key]++;
		emit(held.as(Op.WRITE, Phase.INVOKE).values(value, value + 1));
		emit(held.as(Op.WRITE, Phase.OK).by(Witness.PROC, "").values(value, value + 1));
		emit(held.as(Op.WRITE, Phase.OK).values(value, value + 1));
		if (this.random.nextInt(10) == 0) {
			emit(held.as(Op.RENEW, Phase.INVOKE));
			emit(held.as(Op.RENEW, Phase.OK).validUntil(this.t + LEASE));
		}
		emit(held.as(Op.EXIT, Phase.OK));
		int fate = this.random.nextInt(2000);
		if (fate == 0) {
			kill();
		}
		else {
			if (fate == 1) {
				fault(NemesisKind.LOSS, held.key(), Event.ALL);
				emit(held.as(Op.LOST, Phase.OK));
			}
			emit(held.as(Op.RELEASE, Phase.INVOKE));
			emit(held.as(Op.RELEASE, (fate == 1) ? Phase.FAIL : Phase.OK));
		}
	}

	/** All are killed and started again, after which their leases run out. */
	private void kill() {
		for (int proc = 0; proc < PROCS; proc++) {
			fault(NemesisKind.KILL, Event.ALL, "p" + proc + "-" + this.restarts);
		}
		this.restarts++;
		this.t += 2 * LEASE;
	}

	private void fault(NemesisKind kind, String key, String proc) {
		Event event = Event.of(Op.NEMESIS, Phase.INVOKE, key)
			.by("nemesis", proc)
			.lease("fault-" + ++this.requests, 0)
			.result(kind.name(), "");
		emit(event);
		emit(event.as(Op.NEMESIS, Phase.OK));
	}

	private void emit(Event event) {
		this.t += 1 + this.random.nextInt(20_000);
		this.consumer.accept(event.at(this.t));
	}

}

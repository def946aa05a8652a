package io.distributedlock.history;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * Two registers for each key. The fenced one refuses a token lower than the highest it
 * has seen, be it in an entry or in a write; it does not compare values, so that a lost
 * update shows. The unfenced one takes everything. Used by one thread.
 */
final class Registers {

	private final Recorder recorder;

	private final Map<String, Register> registers = new HashMap<>();

	private long sequence;

	Registers(Recorder recorder) {
		this.recorder = recorder;
	}

	WitnessReply handle(LineFields fields) {
		Verb verb = fields.constant(Verb.VALUES);
		String key = fields.text();
		Event event = Event.of(Op.WRITE, Phase.OK, key)
			.by("", Long.toString(this.sequence + 1))
			.lease(fields.text(), fields.number())
			.values(fields.number(), fields.number());
		fields.end();
		return handle(verb, this.registers.computeIfAbsent(key, (ignored) -> new Register()), event);
	}

	private WitnessReply handle(Verb verb, Register register, Event event) {
		return switch (verb) {
			case ENTER -> enter(register, event);
			case EXIT -> exit(register, event);
			case WRITE -> write(register, event);
			case READ -> new WitnessReply(this.sequence, true, register.fenced);
			case WRITE_UNFENCED -> writeUnfenced(register, event);
			case READ_UNFENCED -> new WitnessReply(this.sequence, true, register.unfenced);
		};
	}

	private WitnessReply enter(Register register, Event event) {
		boolean accepted = event.token() >= register.highest;
		register.highest = Math.max(register.highest, event.token());
		String outcome = register.inside.isEmpty() ? "" : "overlap";
		register.inside.add(event.request() + '/' + event.token());
		return record(event.result(outcome, "").as(Op.ENTER, accepted ? Phase.OK : Phase.FAIL), register.fenced);
	}

	private WitnessReply exit(Register register, Event event) {
		register.inside.remove(event.request() + '/' + event.token());
		return record(event.as(Op.EXIT, Phase.OK), register.fenced);
	}

	private WitnessReply write(Register register, Event event) {
		boolean accepted = event.token() >= register.highest;
		if (accepted) {
			register.highest = event.token();
			register.fenced = event.val();
		}
		return record(event.as(Op.WRITE, accepted ? Phase.OK : Phase.FAIL), register.fenced);
	}

	private WitnessReply writeUnfenced(Register register, Event event) {
		register.unfenced = event.val();
		return record(event.result(Event.UNFENCED, ""), register.unfenced);
	}

	private WitnessReply record(Event event, long value) {
		this.sequence++;
		this.recorder.append(event.by("", Long.toString(this.sequence)));
		return new WitnessReply(this.sequence, event.phase() == Phase.OK, value);
	}

	/** The commands that a process can send. */
	enum Verb {

		ENTER, EXIT, WRITE, READ, WRITE_UNFENCED, READ_UNFENCED;

		static final Verb[] VALUES = values();

	}

	private static final class Register {

		private long highest;

		private long fenced;

		private long unfenced;

		private final Set<String> inside = new HashSet<>();

	}

}

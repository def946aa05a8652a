package io.distributedlock.history;

import java.util.HashMap;
import java.util.Map;

import io.distributedlock.history.Event.Op;
import io.distributedlock.history.Event.Phase;

/**
 * C3: the record of the witness. Tokens of accepted writes never fall, each write
 * continues the value of the last one, only stale writers are refused, and the writers
 * were told the truth. Also counts the updates that the unfenced register lost.
 */
final class FencedRegisterRule extends Rule {

	private final Map<String, Register> registers = new HashMap<>();

	FencedRegisterRule(Findings findings) {
		super(RuleName.C3_FENCED_REGISTER, findings);
	}

	/** The witness itself speaks. */
	void witnessed(Event event) {
		Register register = register(event);
		if (event.op() == Op.ENTER) {
			register.raise(event);
		}
		else if (event.op() == Op.WRITE && event.outcome().equals(Event.UNFENCED)) {
			this.findings.lostUpdates += (event.prev() != register.unfenced) ? 1 : 0;
			register.unfenced = event.val();
		}
		else if (event.op() == Op.WRITE) {
			checkWrite(event, register);
		}
	}

	private void checkWrite(Event event, Register register) {
		boolean stale = event.token() < register.highest;
		if (event.phase() == Phase.FAIL) {
			if (!stale) {
				violation(event.key(), "a write with the newest token %d was refused".formatted(event.token()), event);
			}
			return;
		}
		if (stale) {
			violation(event.key(), "a write with the stale token %d was accepted".formatted(event.token()),
					register.highestSeen, event);
		}
		if (event.prev() != register.value) {
			violation(event.key(),
					"a write was lost: %d was there, and %d believed".formatted(register.value, event.prev()), event);
		}
		register.accepted++;
		register.value = event.val();
		register.raise(event);
	}

	/** A client records the answer that it got. */
	@Override
	void accept(Event event, LockState state, HeldLease lease) {
		if (event.op() == Op.WRITE) {
			Register register = register(event);
			register.last = event;
			switch (event.phase()) {
				case INVOKE -> register.unanswered++;
				case OK -> {
					register.unanswered--;
					register.acknowledged++;
				}
				case FAIL -> register.unanswered--;
				case INFO -> {
					// Stays without answer.
				}
			}
		}
	}

	private Register register(Event event) {
		return this.registers.computeIfAbsent(event.key(), (ignored) -> new Register());
	}

	@Override
	void finish(Event last) {
		this.registers.forEach((key, register) -> {
			if (register.last != null && (register.accepted < register.acknowledged
					|| register.accepted > register.acknowledged + register.unanswered)) {
				violation(key, "%d writes were accepted, %d acknowledged, and %d had no answer"
					.formatted(register.accepted, register.acknowledged, register.unanswered), register.last);
			}
		});
	}

	/** The value that the register must have in the end. */
	void checkFinal(String key, long value) {
		Register register = this.registers.get(key);
		long expected = (register != null) ? register.value : 0;
		if (value != expected) {
			violation(key, "the register is %d in the end, but the last write was %d".formatted(value, expected));
		}
	}

	@Override
	int retained() {
		return this.registers.size();
	}

	private static final class Register {

		private long highest;

		private Event highestSeen;

		private long value;

		private long unfenced;

		private long accepted;

		private long acknowledged;

		private long unanswered;

		private Event last;

		private void raise(Event event) {
			if (event.token() >= this.highest) {
				this.highest = event.token();
				this.highestSeen = event;
			}
		}

	}

}

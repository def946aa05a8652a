package io.distributedlock.history;

/**
 * An answer of the witness.
 *
 * @param sequence the place of the request among all
 * @param accepted whether it was accepted; the refusal of an entry shows only here
 * @param value of the register concerned, after the request
 */
public record WitnessReply(long sequence, boolean accepted, long value) {

	static WitnessReply parse(LineFields fields) {
		WitnessReply reply = new WitnessReply(fields.number(), fields.number() == 1, fields.number());
		fields.end();
		return reply;
	}

	String toLine() {
		return this.sequence + "\t" + (this.accepted ? 1 : 0) + "\t" + this.value + "\t\n";
	}

}

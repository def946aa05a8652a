package io.distributedlock.engine;

import io.distributedlock.LossReason;

/**
 * The state machine of one acquisition as its documentation has it: from the attempt to
 * exactly one end, and a loss that is reported once, with its reason.
 */
public class GrantSpecification {

	private enum State {

		ACQUIRING, HELD, RELEASING, RELEASED, LOST, ABANDONED

	}

	private State state = State.HELD;

	private int validUntil = 100;

	private LossReason reason;

	private boolean told;

	public boolean abandon() {
		return move(State.ACQUIRING, State.ABANDONED);
	}

	public boolean isHeld(int at) {
		if (this.state == State.HELD && HeldGrant.time(at) >= this.validUntil) {
			lose(LossReason.NOT_RENEWED);
		}
		return this.state == State.HELD;
	}

	public boolean extend(int at) {
		boolean held = isHeld(at);
		this.validUntil = held ? 200 : this.validUntil;
		return held;
	}

	public boolean lose(int why) {
		return lose(HeldGrant.reason(why));
	}

	private boolean lose(LossReason why) {
		boolean lost = move(State.HELD, State.LOST);
		this.reason = lost ? why : this.reason;
		return lost;
	}

	public boolean beginRelease(int at) {
		return isHeld(at) && move(State.HELD, State.RELEASING);
	}

	public boolean released() {
		return move(State.RELEASING, State.RELEASED);
	}

	public void lostAtRelease() {
		if (move(State.RELEASING, State.LOST)) {
			this.reason = LossReason.NOT_OWNER;
		}
	}

	public String fire(int at) {
		if (isHeld(at) || this.state != State.LOST || this.told) {
			return "nothing";
		}
		this.told = true;
		return this.reason.name();
	}

	private boolean move(State from, State to) {
		boolean moves = this.state == from;
		this.state = moves ? to : this.state;
		return moves;
	}

}

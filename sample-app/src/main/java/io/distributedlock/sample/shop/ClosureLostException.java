package io.distributedlock.sample.shop;

import io.distributedlock.LockLostException;

/** An item could be sold before it was opened again: the lock of its closure was lost. */
class ClosureLostException extends RuntimeException {

	private final LockLostException loss;

	ClosureLostException(String item, LockLostException loss) {
		super("The closure of '%s' had ended before: %s".formatted(item, loss.getReason().description()), loss);
		this.loss = loss;
	}

	String getKey() {
		return this.loss.getKey();
	}

}

package io.distributedlock.engine.internal.line;

/**
 * Makes a request that waits for several keys together request each of them: its owner
 * has got some of them in the meantime, and enters those again.
 */
public final class SetDividedException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	SetDividedException() {
		super("The owner has some of the keys by now", null, false, false);
	}

}

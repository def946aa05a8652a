package io.distributedlock.redis.internal.driver;

/**
 * The script by which calls to one server go as one. Its first argument has the kind of
 * each call, and the others are those of the calls. Thread-safe.
 */
public final class Gathering {

	final Script script;

	/** A key that never exists, behind those of the calls. */
	final byte[] absentKey;

	/** Called when the server has refused keys of different slots. */
	final Runnable refused;

	/** Set once each call goes alone. */
	volatile boolean over;

	/**
	 * Create a gathering.
	 * @param script runs several calls, and has an answer or a failure for each
	 * @param absentKey a key that never exists
	 * @param refused called when the server has refused keys of different slots
	 */
	public Gathering(Script script, byte[] absentKey, Runnable refused) {
		this.script = script;
		this.absentKey = absentKey;
		this.refused = refused;
	}

	/** From here on each call goes alone. */
	public void end() {
		this.over = true;
	}

}

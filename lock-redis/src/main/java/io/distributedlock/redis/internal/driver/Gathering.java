package io.distributedlock.redis.internal.driver;

/**
 * The script by which calls to one server go as one. Its first argument has the kind of
 * each call, and the others are those of the calls. Thread-safe.
 */
public final class Gathering {

	final Script script;

	/** A key that never exists, behind those of the calls. */
	final byte[] absentKey;

	/** Set once the server has refused keys of different slots. */
	public volatile boolean refused;

	/**
	 * Create a gathering.
	 * @param script runs several calls, and has an answer or a failure for each
	 * @param absentKey a key that never exists
	 */
	public Gathering(Script script, byte[] absentKey) {
		this.script = script;
		this.absentKey = absentKey;
	}

}

package io.distributedlock.redis.driver;

import java.util.Arrays;

import org.jspecify.annotations.Nullable;

/**
 * A script with its keys and arguments, as it is sent once: its number is the last
 * argument, and its answer bears the same.
 */
public final class NumberedCommand {

	private final NumberedScript script;

	private final int keyCount;

	private final byte[][] values;

	private NumberedCommand(NumberedScript script, int keyCount, byte[][] values) {
		this.script = script;
		this.keyCount = keyCount;
		this.values = values;
	}

	static NumberedCommand of(ScriptCall call) {
		byte[][] keys = call.keys();
		byte[][] args = call.args();
		byte[][] values = Arrays.copyOf(keys, keys.length + args.length + 1);
		System.arraycopy(args, 0, values, keys.length, args.length);
		values[values.length - 1] = NumberedScript.nextNumber();
		return new NumberedCommand(NumberedScript.of(call.sha(), call.source()), keys.length, values);
	}

	/** The digest of the script with its number. */
	public String sha() {
		return this.script.sha();
	}

	byte[] source() {
		return this.script.source();
	}

	/** How many of the values are keys. */
	public int keyCount() {
		return this.keyCount;
	}

	/** Keys, arguments, and the number. */
	public byte[][] values() {
		return this.values;
	}

	/**
	 * Take the number off an answer.
	 * @param answer what was read
	 * @return what the script said
	 * @throws ClassCastException if it is the answer of another command
	 */
	public Object said(@Nullable Object answer) {
		return NumberedScript.said(answer, this.values[this.values.length - 1]);
	}

}

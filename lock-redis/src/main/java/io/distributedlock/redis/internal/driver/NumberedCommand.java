package io.distributedlock.redis.internal.driver;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

import org.jspecify.annotations.Nullable;

/**
 * A script with its keys and arguments, as it is sent. Its number is the last argument,
 * and its answer bears the same. A pooled connection that was returned with an unread
 * answer gives each later command the answer of the one before. An acquisition would then
 * take the grant of another request for its own.
 */
public final class NumberedCommand {

	/** Numbers for the commands of all stores in this JVM, which may share a pool. */
	private static final AtomicLong NUMBERS = new AtomicLong(new SecureRandom().nextLong());

	private final Script script;

	private final int keyCount;

	private final byte[][] values;

	private NumberedCommand(Script script, int keyCount, byte[][] values) {
		this.script = script;
		this.keyCount = keyCount;
		this.values = values;
	}

	static NumberedCommand of(ScriptCall call) {
		byte[][] keys = call.keys;
		byte[][] args = call.args;
		byte[][] values = Arrays.copyOf(keys, keys.length + args.length + 1);
		System.arraycopy(args, 0, values, keys.length, args.length);
		values[values.length - 1] = nextNumber();
		return new NumberedCommand(call.script.numbered(), keys.length, values);
	}

	static byte[] nextNumber() {
		return ByteBuffer.allocate(Long.BYTES).putLong(NUMBERS.incrementAndGet()).array();
	}

	/** The script that adds the number to its answer. */
	public Script script() {
		return this.script;
	}

	/** The number of keys among the values. */
	public int keyCount() {
		return this.keyCount;
	}

	/** Keys, arguments, and the number. */
	public byte[][] values() {
		return this.values;
	}

	/**
	 * Take the number off an answer.
	 * @param answer the answer as it was read
	 * @return the answer of the script
	 * @throws ClassCastException if it is the answer of another command
	 */
	public Object said(@Nullable Object answer) {
		if (answer instanceof List<?> both && both.size() == 2 && both.get(0) instanceof byte[] number
				&& Arrays.equals(number, this.values[this.values.length - 1]) && both.get(1) != null) {
			return both.get(1);
		}
		throw new ClassCastException("Not the answer of this command: it bears no number or another one");
	}

}

package io.distributedlock.redis;

import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * A script with all that it is given.
 *
 * @param script the script
 * @param locks the locks that it is for
 * @param keys its keys
 * @param args its arguments
 * @param general what to send if a short script cannot handle the lock, or {@code null}
 */
record ScriptCommand(LockScript script, List<LockKey> locks, byte[][] keys, byte[][] args,
		@Nullable Supplier<ScriptCommand> general) {

	ScriptCommand(LockScript script, List<LockKey> locks, byte[][] keys, byte[]... args) {
		this(script, locks, keys, args, null);
	}

	/** This one, unless the script cannot handle the lock. */
	ScriptCommand or(Supplier<ScriptCommand> other) {
		return new ScriptCommand(this.script, this.locks, this.keys, this.args, other);
	}

}

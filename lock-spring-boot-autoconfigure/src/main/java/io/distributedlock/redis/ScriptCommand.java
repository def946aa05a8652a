package io.distributedlock.redis;

import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * A script with its keys and arguments.
 *
 * @param script the script
 * @param locks the locks that it is for
 * @param keys its keys
 * @param args its arguments
 * @param general what to send if a short script cannot handle the lock, or {@code null}
 * @param lean what to send if some of the keys have moved to another node of a cluster
 * and others have not, or {@code null}
 */
record ScriptCommand(LockScript script, List<LockKey> locks, byte[][] keys, byte[][] args,
		@Nullable Supplier<ScriptCommand> general, @Nullable Supplier<ScriptCommand> lean) {

	ScriptCommand(LockScript script, List<LockKey> locks, byte[][] keys, byte[]... args) {
		this(script, locks, keys, args, null, null);
	}

}

package io.distributedlock.benchmarks.protocol;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.async.RedisAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * Acquires and releases each of {@value #KEYS} keys, without waiting.
 *
 * @param acquire acquires a key
 * @param release releases it
 * @param before pairs with all keys that come before and are not measured, if any
 */
record Pairs(IntFunction<CompletionStage<?>> acquire, IntFunction<CompletionStage<?>> release, @Nullable Pairs before) {

	static final int KEYS = 1000;

	/** Return all pairs to compare. The floor comes first. */
	static Map<String, Pairs> all(RedisAsyncCommands<String, String> raw, LockRegistry registry) {
		Map<String, Pairs> all = new LinkedHashMap<>();
		all.put("`SET NX PX`, `DEL`",
				new Pairs((key) -> raw.set("d:order:" + key, "owner", SetArgs.Builder.nx().px(30_000)),
						(key) -> raw.del("d:order:" + key), null));
		String empty = raw.scriptLoad("return 1").toCompletableFuture().join();
		IntFunction<CompletionStage<?>> script = (key) -> raw.<Long>evalsha(empty, ScriptOutputType.INTEGER,
				"e:order:" + key);
		all.put("two empty scripts", new Pairs(script, script, null));
		all.put("EXCLUSIVE", of(registry, LockMode.EXCLUSIVE, "x", null));
		all.put("FAIR", of(registry, LockMode.FAIR, "f", null));
		all.put("READ", of(registry, LockMode.READ, "r", null));
		all.put("EXCLUSIVE after READ", of(registry, LockMode.EXCLUSIVE, "w", of(registry, LockMode.READ, "w", null)));
		all.put("SEMAPHORE", of(registry, LockMode.SEMAPHORE, "s", null));
		return all;
	}

	private static Pairs of(LockRegistry registry, LockMode mode, String name, @Nullable Pairs before) {
		Lease[] leases = new Lease[KEYS];
		IntFunction<CompletionStage<?>> acquire = (key) -> {
			LockRequest request = LockRequest.of(name + ":order:" + key);
			return registry.acquireAsync((mode == LockMode.SEMAPHORE) ? request.permits(4) : request.mode(mode))
				.thenAccept((lease) -> leases[key] = lease);
		};
		return new Pairs(acquire, (key) -> leases[key].release(), before);
	}

}

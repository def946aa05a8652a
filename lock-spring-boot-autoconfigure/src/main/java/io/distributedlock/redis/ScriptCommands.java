package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

import io.distributedlock.LockMode;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * How the commands of the store go to the scripts, which describe their arguments. A lock
 * that one request wants alone goes to a short script where that is likely to do.
 * Thread-safe.
 */
final class ScriptCommands {

	private static final int LENGTH_OF_LOCK = 45;

	private static final int LENGTH_OF_COMMON = 24;

	private final LockServer server;

	private final LockKeys keys;

	private final Duration retention;

	/** How many bytes of a key are left out of wake-ups. */
	private final int prefixLength;

	private final SharedLocks shared = new SharedLocks();

	ScriptCommands(RedisStoreSettings settings, LockServer server) {
		this.server = server;
		this.keys = server.keys();
		this.retention = settings.tokenRetention();
		this.prefixLength = Packed.utf8(settings.keyPrefix()).length;
	}

	ScriptCommand<AcquireOutcome> acquire(AcquireCommand command, Function<Object, AcquireOutcome> reader) {
		LockMode mode = command.mode();
		List<LockKey> locks = command.keys();
		if (mode != LockMode.EXCLUSIVE || this.shared.inUse) {
			this.shared.note(command.request(), !mode.isExclusive());
			if (mode != LockMode.EXCLUSIVE) {
				return withSets(LockScript.ACQUIRE, locks, reader, args(command));
			}
			if (this.shared.isLikely(locks.get(0))) {
				return withSetsUnlessMoving(LockScript.ACQUIRE, locks, reader, args(command));
			}
		}
		if (command.retakes() || locks.size() > 1 || command.request().place() != 0) {
			return withoutSets(LockScript.ACQUIRE, locks, reader, args(command));
		}
		byte[] packed = new Packed(LENGTH_OF_LOCK).request(command.request())
			.millis(command.ttl())
			.millis(command.keepFor())
			.number(command.highestToken(), 7)
			.waiting(command.waiting())
			.millis(this.retention)
			.toBytes();
		ScriptCommand<AcquireOutcome> call = new ScriptCommand<>(this.server, locks, reader, LockScript.LOCK,
				this.keys.hashes(locks), packed);
		return call.orGeneral(() -> becomeWithoutSets(call, LockScript.ACQUIRE, locks, args(command)));
	}

	private byte[][] args(AcquireCommand command) {
		byte[] packed = new Packed().millis(command.ttl())
			.millis(command.keepFor())
			.number(command.highestToken(), 7)
			.waiting(command.waiting())
			.number(command.permits(), 4)
			.toBytes();
		return args(command.keys(), command.request(), packed, Packed.utf8(name(command.mode())),
				Packed.utf8(command.retakes() ? "retake" : "turn"), packed(command.beside()));
	}

	private static byte[] packed(@Nullable RequestId request) {
		return (request != null) ? new Packed().request(request).toBytes() : new byte[0];
	}

	private static String name(LockMode mode) {
		return switch (mode) {
			case FAIR -> "fair";
			case READ -> "read";
			case SEMAPHORE -> "semaphore";
			default -> "exclusive";
		};
	}

	ScriptCommand<Boolean> release(ReleaseCommand command) {
		List<LockKey> locks = command.keys();
		RequestId request = command.request();
		if (this.shared.inUse && this.shared.isLikely(request, locks)) {
			return withSetsUnlessMoving(LockScript.RELEASE, locks, LockScript::flag, args(command));
		}
		if (locks.size() > 1 || request.place() != 0) {
			return withoutSets(LockScript.RELEASE, locks, LockScript::flag, args(command));
		}
		byte[] packed = common(request, Packed.length(command.marks())).marks(command.marks()).toBytes();
		ScriptCommand<Boolean> call = new ScriptCommand<>(this.server, locks, LockScript::flag, LockScript.UNLOCK,
				this.keys.hashes(locks), packed);
		return call.orGeneral(() -> becomeWithoutSets(call, LockScript.RELEASE, locks, args(command)));
	}

	private byte[][] args(ReleaseCommand command) {
		return args(command.keys(), command.request(), new Packed().marks(command.marks()).toBytes());
	}

	ScriptCommand<Void> abandon(AbandonCommand command) {
		byte[][] args = args(command.keys(), command.request(), new Packed().waiting(command.waiting()).toBytes(),
				packed(command.successor()));
		if (command.successor() != null) {
			return withSets(LockScript.ABANDON, command.keys(), LockScript::nothing, args);
		}
		return this.shared.isLikely(command.request(), command.keys())
				? withSetsUnlessMoving(LockScript.ABANDON, command.keys(), LockScript::nothing, args)
				: withoutSets(LockScript.ABANDON, command.keys(), LockScript::nothing, args);
	}

	ScriptCommand<Boolean> raise(RaiseCommand command) {
		byte[] token = Packed.utf8(Long.toString(command.token()));
		return withSets(LockScript.RAISE, command.keys(), LockScript::flag,
				args(command.keys(), command.request(), token));
	}

	ScriptCommand<List<Boolean>> renew(List<RenewCommand> commands) {
		List<LockKey> locks = commands.stream().map(RenewCommand::key).toList();
		ScriptCommand<List<Boolean>> call = new ScriptCommand<>(this.server, locks,
				(answer) -> LockScript.flags(answer, locks.size()), LockScript.RENEW, new byte[0][]);
		becomeRenewal(call, locks, commands, false);
		return call.orGeneral(() -> {
			this.shared.found(locks.get(0));
			becomeRenewal(call, locks, commands, true);
		});
	}

	private void becomeRenewal(ScriptCommand<?> call, List<LockKey> locks, List<RenewCommand> commands, boolean sets) {
		List<byte[]> redisKeys = new ArrayList<>(List.of(this.keys.hashes(locks)));
		byte[][] args = new byte[1 + commands.size()][];
		args[0] = new Packed().millis(this.retention).number(commands.size(), 2).toBytes();
		for (int i = 0; i < commands.size(); i++) {
			RenewCommand command = commands.get(i);
			boolean alone = !sets && !this.shared.isLikely(command.request());
			if (!alone) {
				redisKeys.add(this.keys.holders(command.key()));
			}
			args[1 + i] = new Packed().request(command.request())
				.millis(command.ttl())
				.number(alone ? 0 : redisKeys.size(), 2)
				.marks(command.marks())
				.toBytes();
		}
		call.become(LockScript.RENEW, redisKeys.toArray(byte[][]::new), args);
	}

	/** The arguments that renew one key for a request that does not exist. */
	static byte[][] renewalOfNothing() {
		return new byte[][] { new Packed().millis(Duration.ZERO).number(1, 2).toBytes(),
				new Packed().request(new RequestId(0, 0)).millis(Duration.ZERO).number(0, 2).toBytes() };
	}

	private <T> ScriptCommand<T> withSets(LockScript script, List<LockKey> locks, Function<Object, T> reader,
			byte[][] args) {
		return new ScriptCommand<>(this.server, locks, reader, script, this.keys.all(locks), args);
	}

	private <T> ScriptCommand<T> withSetsUnlessMoving(LockScript script, List<LockKey> locks,
			Function<Object, T> reader, byte[][] args) {
		ScriptCommand<T> call = withSets(script, locks, reader, args);
		return call.orLean(() -> becomeWithoutSets(call, script, locks, args));
	}

	/** Without the sorted sets of the locks, unless they are needed. */
	private <T> ScriptCommand<T> withoutSets(LockScript script, List<LockKey> locks, Function<Object, T> reader,
			byte[][] args) {
		ScriptCommand<T> call = new ScriptCommand<>(this.server, locks, reader, script, new byte[0][]);
		becomeWithoutSets(call, script, locks, args);
		return call;
	}

	private void becomeWithoutSets(ScriptCommand<?> call, LockScript script, List<LockKey> locks, byte[][] args) {
		call.become(script, this.keys.hashes(locks), args);
		call.orGeneral(() -> {
			this.shared.found(locks.get(0));
			call.become(script, this.keys.all(locks), args);
		});
	}

	private byte[][] args(List<LockKey> locks, RequestId request, byte[]... more) {
		byte[][] args = new byte[1 + more.length][];
		args[0] = common(request, 2).number(locks.size(), 2).toBytes();
		System.arraycopy(more, 0, args, 1, more.length);
		return args;
	}

	private Packed common(RequestId request, int more) {
		return new Packed(LENGTH_OF_COMMON + more).request(request).millis(this.retention).number(this.prefixLength, 2);
	}

}

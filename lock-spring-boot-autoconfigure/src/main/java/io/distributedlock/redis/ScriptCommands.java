package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

import io.distributedlock.LockMode;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

import static io.distributedlock.redis.ScriptArguments.number;
import static io.distributedlock.redis.ScriptArguments.utf8;

/**
 * How the commands of the store go to the scripts, which describe their arguments. A lock
 * that one request wants alone goes to a short script where that is likely to do.
 * Thread-safe.
 */
final class ScriptCommands {

	private static final int LENGTH_OF_LOCK = 45;

	private static final int LENGTH_OF_COMMON = 24;

	private final LockKeys keys;

	private final Duration retention;

	/** How many bytes of a key are left out of wake-ups. */
	private final int prefixLength;

	private final SharedLocks shared = new SharedLocks();

	ScriptCommands(RedisStoreSettings settings) {
		this.keys = new LockKeys(settings.keyPrefix());
		this.retention = settings.tokenRetention();
		this.prefixLength = utf8(settings.keyPrefix()).length;
	}

	LockKeys keys() {
		return this.keys;
	}

	/**
	 * A script could not handle a lock without other keys. One that is short may only
	 * have found it in need of a look.
	 */
	void sentOn(ScriptCommand command) {
		if (command.script() != LockScript.LOCK && command.script() != LockScript.UNLOCK) {
			this.shared.found(command.locks().get(0));
		}
	}

	ScriptCommand acquire(AcquireCommand command) {
		this.shared.note(command.request(), !command.mode().isExclusive());
		if (command.mode() != LockMode.EXCLUSIVE) {
			return withSets(LockScript.ACQUIRE, command.keys(), args(command));
		}
		if (this.shared.isLikely(command.keys().get(0))) {
			return withSetsUnlessMoving(LockScript.ACQUIRE, command.keys(), args(command));
		}
		boolean plain = !command.retakes() && command.keys().size() == 1 && command.request().place() == 0;
		return plain ? lock(command) : withoutSets(LockScript.ACQUIRE, command.keys(), args(command));
	}

	private ScriptCommand lock(AcquireCommand command) {
		byte[] packed = new Packed(LENGTH_OF_LOCK).request(command.request())
			.millis(command.ttl())
			.millis(command.keepFor())
			.number(command.highestToken(), 7)
			.waiting(command.waiting())
			.millis(this.retention)
			.toBytes();
		return new ScriptCommand(LockScript.LOCK, command.keys(), this.keys.hashes(command.keys()),
				new byte[][] { packed }, () -> withoutSets(LockScript.ACQUIRE, command.keys(), args(command)), null);
	}

	private byte[][] args(AcquireCommand command) {
		byte[] packed = new Packed().millis(command.ttl())
			.millis(command.keepFor())
			.number(command.highestToken(), 7)
			.waiting(command.waiting())
			.number(command.permits(), 4)
			.toBytes();
		return args(command.keys(), command.request(), packed, utf8(name(command.mode())),
				utf8(command.retakes() ? "retake" : "turn"), packed(command.beside()));
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

	ScriptCommand release(ReleaseCommand command) {
		if (this.shared.isLikely(command.request(), command.keys())) {
			return withSetsUnlessMoving(LockScript.RELEASE, command.keys(), args(command));
		}
		boolean plain = command.keys().size() == 1 && command.request().place() == 0;
		return plain ? unlock(command) : withoutSets(LockScript.RELEASE, command.keys(), args(command));
	}

	private ScriptCommand unlock(ReleaseCommand command) {
		byte[] packed = common(command.request(), Packed.length(command.marks())).marks(command.marks()).toBytes();
		return new ScriptCommand(LockScript.UNLOCK, command.keys(), this.keys.hashes(command.keys()),
				new byte[][] { packed }, () -> withoutSets(LockScript.RELEASE, command.keys(), args(command)), null);
	}

	private byte[][] args(ReleaseCommand command) {
		return args(command.keys(), command.request(), new Packed().marks(command.marks()).toBytes());
	}

	ScriptCommand abandon(AbandonCommand command) {
		byte[][] args = args(command.keys(), command.request(), new Packed().waiting(command.waiting()).toBytes(),
				packed(command.successor()));
		if (command.successor() != null) {
			return withSets(LockScript.ABANDON, command.keys(), args);
		}
		return this.shared.isLikely(command.request(), command.keys())
				? withSetsUnlessMoving(LockScript.ABANDON, command.keys(), args)
				: withoutSets(LockScript.ABANDON, command.keys(), args);
	}

	ScriptCommand raise(RaiseCommand command) {
		return withSets(LockScript.RAISE, command.keys(),
				args(command.keys(), command.request(), number(command.token())));
	}

	ScriptCommand renew(List<RenewCommand> commands) {
		return renew(commands, false, () -> renew(commands, true, null));
	}

	private ScriptCommand renew(List<RenewCommand> commands, boolean sets, @Nullable Supplier<ScriptCommand> general) {
		List<LockKey> locks = commands.stream().map(RenewCommand::key).toList();
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
		return new ScriptCommand(LockScript.RENEW, locks, redisKeys.toArray(byte[][]::new), args, general, null);
	}

	/** The arguments that renew one key for a request that does not exist. */
	static byte[][] renewalOfNothing() {
		return new byte[][] { new Packed().millis(Duration.ZERO).number(1, 2).toBytes(),
				new Packed().request(new RequestId(0, 0)).millis(Duration.ZERO).number(0, 2).toBytes() };
	}

	private ScriptCommand withSets(LockScript script, List<LockKey> locks, byte[][] args) {
		return new ScriptCommand(script, locks, this.keys.all(locks), args);
	}

	private ScriptCommand withSetsUnlessMoving(LockScript script, List<LockKey> locks, byte[][] args) {
		return new ScriptCommand(script, locks, this.keys.all(locks), args, null,
				() -> withoutSets(script, locks, args));
	}

	/** Without the sorted sets of the locks, unless they are needed. */
	private ScriptCommand withoutSets(LockScript script, List<LockKey> locks, byte[][] args) {
		return new ScriptCommand(script, locks, this.keys.hashes(locks), args, () -> withSets(script, locks, args),
				null);
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

package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.LockMode;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.Approach;
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

	private final LockKeys keys;

	private final Duration retention;

	/** How much of a key its waiters are not told. */
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
			return acquire(command, true);
		}
		if (this.shared.isLikely(command.keys().get(0))) {
			return acquire(command, true).orWhileMoving(() -> acquireInAnyMode(command));
		}
		boolean plain = command.approach() == Approach.IN_TURN && command.keys().size() == 1
				&& command.request().place() == 0;
		return plain ? lock(command).or(() -> acquireInAnyMode(command))
				: acquireInAnyMode(command);
	}

	private ScriptCommand acquireInAnyMode(AcquireCommand command) {
		return acquire(command, false).or(() -> acquire(command, true));
	}

	private ScriptCommand lock(AcquireCommand command) {
		byte[] packed = new Packed().request(command.request())
			.millis(command.ttl())
			.millis(command.keepFor())
			.number(command.highestToken(), 7)
			.waiting(command.waiting())
			.millis(this.retention)
			.toBytes();
		return new ScriptCommand(LockScript.LOCK, command.keys(), this.keys.hashes(command.keys()), packed);
	}

	private ScriptCommand acquire(AcquireCommand command, boolean sets) {
		byte[] packed = new Packed().millis(command.ttl())
			.millis(command.keepFor())
			.number(command.highestToken(), 7)
			.waiting(command.waiting())
			.number(command.permits(), 4)
			.toBytes();
		return general(LockScript.ACQUIRE, sets, command.keys(), command.request(), packed, utf8(word(command.mode())),
				utf8(word(command.approach())), packed(command.beside()));
	}

	private static byte[] packed(@Nullable RequestId request) {
		return (request != null) ? new Packed().request(request).toBytes() : new byte[0];
	}

	private static String word(LockMode mode) {
		return switch (mode) {
			case FAIR -> "fair";
			case READ -> "read";
			case SEMAPHORE -> "semaphore";
			default -> "exclusive";
		};
	}

	private static String word(Approach approach) {
		return switch (approach) {
			case IN_TURN -> "turn";
			case CLAIM -> "claim";
			case CLAIM_AGAIN -> "retake";
			case STAND_IN_LINE -> "enter";
		};
	}

	ScriptCommand release(ReleaseCommand command) {
		if (this.shared.isLikely(command.request(), command.keys())) {
			return release(command, true).orWhileMoving(() -> releaseInAnyMode(command));
		}
		boolean plain = command.keys().size() == 1 && command.request().place() == 0;
		return plain ? unlock(command).or(() -> releaseInAnyMode(command)) : releaseInAnyMode(command);
	}

	private ScriptCommand releaseInAnyMode(ReleaseCommand command) {
		return release(command, false).or(() -> release(command, true));
	}

	private ScriptCommand release(ReleaseCommand command, boolean sets) {
		return general(LockScript.RELEASE, sets, command.keys(), command.request(),
				new Packed().marks(command.marks()).toBytes());
	}

	private ScriptCommand unlock(ReleaseCommand command) {
		List<LockKey> locks = command.keys();
		byte[] packed = common(command.request()).marks(command.marks()).toBytes();
		byte[][] hashes = this.keys.hashes(locks);
		return new ScriptCommand(LockScript.UNLOCK, locks, hashes, packed);
	}

	ScriptCommand abandon(AbandonCommand command) {
		if (command.successor() != null) {
			return abandon(command, true);
		}
		return this.shared.isLikely(command.request(), command.keys())
				? abandon(command, true).orWhileMoving(() -> abandonInAnyMode(command)) : abandonInAnyMode(command);
	}

	private ScriptCommand abandonInAnyMode(AbandonCommand command) {
		return abandon(command, false).or(() -> abandon(command, true));
	}

	private ScriptCommand abandon(AbandonCommand command, boolean sets) {
		return general(LockScript.ABANDON, sets, command.keys(), command.request(),
				new Packed().waiting(command.waiting()).toBytes(), packed(command.successor()));
	}

	ScriptCommand raise(RaiseCommand command) {
		return general(LockScript.RAISE, true, command.keys(), command.request(), number(command.token()));
	}

	ScriptCommand renew(List<RenewCommand> commands) {
		return renew(commands, false).or(() -> renew(commands, true));
	}

	private ScriptCommand renew(List<RenewCommand> commands, boolean sets) {
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
		return new ScriptCommand(LockScript.RENEW, locks, redisKeys.toArray(byte[][]::new), args);
	}

	/** A renewal of keys that no request has. */
	ScriptCommand contact(byte[]... redisKeys) {
		byte[][] args = new byte[1 + redisKeys.length][];
		args[0] = new Packed().millis(this.retention).number(redisKeys.length, 2).toBytes();
		for (int i = 0; i < redisKeys.length; i++) {
			args[1 + i] = new Packed().request(new RequestId(0, 0)).millis(Duration.ZERO).number(0, 2).toBytes();
		}
		return new ScriptCommand(LockScript.RENEW, List.of(), redisKeys, args);
	}

	/** With the sorted sets of the locks, or without if they are hardly needed. */
	private ScriptCommand general(LockScript script, boolean sets, List<LockKey> locks, RequestId request,
			byte[]... more) {
		byte[][] args = new byte[1 + more.length][];
		args[0] = common(request).number(locks.size(), 2).toBytes();
		System.arraycopy(more, 0, args, 1, more.length);
		return new ScriptCommand(script, locks, sets ? this.keys.all(locks) : this.keys.hashes(locks), args);
	}

	private Packed common(RequestId request) {
		return new Packed().request(request).millis(this.retention).number(this.prefixLength, 2);
	}

}

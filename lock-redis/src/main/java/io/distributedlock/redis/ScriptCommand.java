package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.BiFunction;
import java.util.function.Function;

import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.redis.internal.driver.RedisErrors;
import io.distributedlock.redis.internal.driver.Refusals;
import io.distributedlock.redis.internal.driver.ScriptCall;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * A command of the store, with the future of its result: a script, its keys and its
 * arguments. An exclusive request for one lock first goes to a short script, if that is
 * likely to suffice. If a script does not suffice, another one follows. The script for
 * all modes has the hashes of the locks, and if needed their sorted sets. Cancelling
 * withdraws a command that was not sent.
 *
 * @param <T> the type of the result
 */
final class ScriptCommand<T> extends CompletableFuture<T> implements BiConsumer<@Nullable Object, @Nullable Throwable> {

	/** The names of the short scripts in {@code gather.lua}. */
	private static final byte ACQUIRES = 'L';

	private static final byte RELEASES = 'U';

	private static final byte[][] NONE = {};

	private final LockServer server;

	private final List<LockKey> locks;

	/** The command of the engine, which the two functions get. */
	private final Object command;

	private final BiFunction<Object, Object, T> reader;

	/** Makes it the script for all modes, with sorted sets if {@code true}. */
	private final BiConsumer<ScriptCommand<T>, Boolean> general;

	/** {@code true} if a release may give the lock to the waiter entry. */
	private boolean claims;

	private LockScript script = LockScript.RENEW;

	private byte[][] keys = NONE;

	private byte[][] args = NONE;

	private boolean isShort;

	private boolean hasSets;

	/** Set if the sorted sets only save a second request. */
	private boolean mayDropSets;

	private @Nullable Function<List<List<LockKey>>, CompletableFuture<T>> inParts;

	private @Nullable ScriptRunner runner;

	/** The call of the current script, once it was sent. */
	private volatile @Nullable ScriptCall sent;

	/** Commands that are on every path have functions that capture nothing. */
	@SuppressWarnings("unchecked")
	private <C> ScriptCommand(LockServer server, List<LockKey> locks, C command, BiFunction<C, Object, T> reader,
			BiConsumer<ScriptCommand<T>, Boolean> general) {
		this.server = server;
		this.locks = locks;
		this.command = command;
		this.reader = (BiFunction<Object, Object, T>) reader;
		this.general = general;
	}

	/**
	 * Create an acquisition.
	 * @param claims {@code false} to have the waiter entry woken instead of given the
	 * lock
	 * @param reader reads the answer
	 */
	static ScriptCommand<AcquireOutcome> acquire(LockServer server, AcquireCommand command, boolean claims,
			BiFunction<AcquireCommand, Object, AcquireOutcome> reader) {
		RequestId request = command.request();
		List<LockKey> locks = command.keys();
		ScriptCommand<AcquireOutcome> call = new ScriptCommand<>(server, locks, command, reader, (it, sets) -> it
			.become(LockScript.ACQUIRE, sets, it.server.format.acquire((AcquireCommand) it.command, it.claims)));
		call.claims = claims;
		boolean exclusive = command.mode() == LockMode.EXCLUSIVE;
		if (!exclusive || server.shared.inUse) {
			server.shared.note(request, !command.mode().isExclusive());
		}
		if (!exclusive || (server.shared.inUse && server.shared.isLikely(locks.get(0)))) {
			return call.withSets(exclusive);
		}
		boolean delays = !command.lockDelay().isZero();
		return (command.retakes() || locks.size() > 1 || request.place() != 0 || delays) ? call.withoutSets()
				: call.shortened(LockScript.LOCK, server.format.lock(command, claims));
	}

	static ScriptCommand<Ownership> release(LockServer server, ReleaseCommand command) {
		RequestId request = command.request();
		List<LockKey> locks = command.keys();
		ScriptCommand<Ownership> call = new ScriptCommand<>(server, locks, command,
				(released, answer) -> WireFormat.ownership(answer), (it, sets) -> it.become(LockScript.RELEASE, sets,
						it.server.format.release((ReleaseCommand) it.command)));
		if (server.shared.inUse && server.shared.isLikely(request, locks)) {
			return call.withSets(true);
		}
		boolean byHandle = WireFormat.isAny(command.marks());
		return (locks.size() > 1 || request.place() != 0 || byHandle) ? call.withoutSets()
				: call.shortened(LockScript.UNLOCK, server.format.unlock(command));
	}

	static ScriptCommand<Ownership> extend(LockServer server, ExtendCommand command) {
		ScriptCommand<Ownership> call = new ScriptCommand<>(server, command.keys(), command,
				(extended, answer) -> WireFormat.ownership(answer),
				(it, sets) -> it.become(LockScript.EXTEND, sets, server.format.extend(command)));
		return server.shared.isLikely(command.request(), command.keys()) ? call.withSets(true) : call.withoutSets();
	}

	@SuppressWarnings("NullAway")
	static ScriptCommand<Void> abandon(LockServer server, AbandonCommand command) {
		ScriptCommand<Void> call = new ScriptCommand<>(server, command.keys(), command, (ended, answer) -> null,
				(it, sets) -> it.become(LockScript.ABANDON, sets, server.format.abandon(command)));
		if (command.successor() != null) {
			return call.withSets(false);
		}
		return server.shared.isLikely(command.request(), command.keys()) ? call.withSets(true) : call.withoutSets();
	}

	static ScriptCommand<Boolean> raise(LockServer server, RaiseCommand command) {
		return new ScriptCommand<>(server, command.keys(), command, (raised, answer) -> WireFormat.flag(answer),
				(it, sets) -> it.become(LockScript.RAISE, sets, server.format.raise(command)))
			.withSets(false);
	}

	static ScriptCommand<Boolean> setPermits(LockServer server, LockKey key, int permits) {
		return new ScriptCommand<>(server, List.of(key), permits, (number, answer) -> WireFormat.flag(answer),
				(it, sets) -> it.become(LockScript.PERMITS, sets, server.format.permits(key, permits)))
			.withSets(false);
	}

	static ScriptCommand<List<Ownership>> renew(LockServer server, List<RenewCommand> commands) {
		List<LockKey> locks = commands.stream().map(RenewCommand::key).toList();
		return new ScriptCommand<>(server, locks, commands,
				(renewed, answer) -> WireFormat.ownerships(answer, locks.size()),
				(it, sets) -> it.becomeRenewal(commands, sets))
			.withoutSets();
	}

	private ScriptCommand<T> shortened(LockScript script, byte[] packed) {
		become(script, false, packed);
		this.isShort = true;
		return this;
	}

	private ScriptCommand<T> withoutSets() {
		this.general.accept(this, false);
		return this;
	}

	/**
	 * Make it the script for all modes with all keys.
	 * @param droppable {@code true} if it may go without the sorted sets while some keys
	 * have moved to another node of a cluster and others have not
	 */
	private ScriptCommand<T> withSets(boolean droppable) {
		this.general.accept(this, true);
		this.mayDropSets = droppable;
		return this;
	}

	private void become(LockScript script, boolean sets, byte[]... args) {
		this.script = script;
		this.keys = this.server.format.keys(this.locks, sets);
		this.args = args;
		this.isShort = false;
		this.hasSets = sets;
		this.mayDropSets = false;
	}

	private void becomeRenewal(List<RenewCommand> commands, boolean sets) {
		List<byte[]> all = new ArrayList<>(List.of(this.server.format.keys(this.locks, false)));
		become(LockScript.RENEW, sets, this.server.renewals(commands, sets, all));
		this.keys = all.toArray(byte[][]::new);
	}

	/**
	 * Set the fallback for keys that are not together, or of which one is refused.
	 * @param inParts runs the command for parts of the keys, each by a command of its own
	 */
	ScriptCommand<T> orInParts(Function<List<List<LockKey>>, CompletableFuture<T>> inParts) {
		this.inParts = inParts;
		return this;
	}

	/** Send it, unless it was cancelled. */
	ScriptCommand<T> send(ScriptRunner runner) {
		this.runner = runner;
		if (!isDone()) {
			ScriptCall call = call();
			this.sent = call;
			call.listen(this);
			if (isCancelled()) {
				call.cancel(false);
			}
			else {
				runner.run(call);
			}
		}
		return this;
	}

	/** Return a call of the current script. */
	ScriptCall call() {
		boolean gathers = this.isShort
				&& (this.server.refused.empty || !this.server.refused.contains(this.locks.get(0)));
		return new ScriptCall(this.script.script, this.keys, this.args, gathers ? this.server.gathering : null,
				(this.script == LockScript.LOCK) ? ACQUIRES : RELEASES);
	}

	/** Return the current script. */
	LockScript kind() {
		return this.script;
	}

	/** The current script was answered, or has failed. */
	@Override
	public void accept(@Nullable Object answer, @Nullable Throwable failure) {
		try {
			if (answer != null) {
				answered(answer);
			}
			else {
				failed((failure != null) ? RedisErrors.unwrapped(failure) : new IllegalStateException("No answer"));
			}
		}
		catch (Throwable ex) {
			// For example, another script has to follow, and cannot be sent.
			completeExceptionally(translated(ex));
		}
	}

	private void answered(Object answer) {
		if (!this.server.met) {
			this.server.met = true;
		}
		if (!this.server.refused.empty && this.locks.size() == 1) {
			this.server.refused.answered(this.locks.get(0));
		}
		long now = System.nanoTime();
		if (this.server.cluster != null) {
			this.server.cluster.answered(this.locks.get(0), this.keys[0], now);
		}
		else if (now - this.server.answeredAt > LastAnswers.PAUSE_NANOS) {
			this.server.answeredAt = now;
		}
		if (this.runner != null && isFollowed(answer)) {
			send(this.runner);
			return;
		}
		try {
			complete(this.reader.apply(this.command, answer));
		}
		catch (LockStoreException ex) {
			completeExceptionally(ex);
		}
		catch (RuntimeException ex) {
			failed(ex);
		}
	}

	/** Return whether another script has to follow; if so, this becomes that script. */
	boolean isFollowed(Object answer) {
		if (this.hasSets || !WireFormat.isSentOn(answer)) {
			return false;
		}
		boolean sets = !this.isShort;
		if (sets) {
			this.server.shared.found(this.locks.get(0));
		}
		this.general.accept(this, sets);
		return true;
	}

	private void failed(Throwable failure) {
		// Also after a cancel: the command may have taken too long.
		this.server.suspect();
		if (isDone()) {
			return;
		}
		if (failure instanceof CancellationException) {
			cancel(false);
			return;
		}
		boolean moving = Refusals.isTryAgain(failure);
		if (moving && this.mayDropSets && this.runner != null) {
			withoutSets().send(this.runner);
			return;
		}
		// Note different slots before the caller asks how to continue.
		this.server.failed(failure);
		boolean ofOneKey = Refusals.isOfOneKey(failure);
		if (this.inParts != null && (moving || ofOneKey)) {
			this.inParts.apply(Refusals.divided(this.locks, failure)).whenComplete(this::pass);
			return;
		}
		if (ofOneKey && this.locks.size() == 1) {
			this.server.refused.refused(this.locks.get(0));
		}
		completeExceptionally(translated(failure));
	}

	private LockStoreException translated(Throwable failure) {
		return this.server.translated(this.script, this.keys, this.locks.size(), failure);
	}

	private void pass(T value, @Nullable Throwable failure) {
		if (failure != null) {
			completeExceptionally(RedisErrors.unwrapped(failure));
		}
		else {
			complete(value);
		}
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		ScriptCall current = this.sent;
		if (cancelled && current != null) {
			current.cancel(mayInterruptIfRunning);
		}
		return cancelled;
	}

}

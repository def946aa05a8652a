package io.distributedlock.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.redis.driver.ScriptCall;
import io.distributedlock.redis.driver.ScriptRunner;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * A command of the store, and its result: a script with its keys and arguments, followed
 * by another one where it does not suffice. Cancelling it withdraws what was not sent.
 *
 * @param <T> what the answer means
 */
class ScriptCommand<T> extends CompletableFuture<T> implements ScriptCall {

	private final LockServer server;

	private final List<LockKey> locks;

	private final Function<Object, T> reader;

	private LockScript script;

	private byte[][] keys;

	private byte[][] args;

	private @Nullable Runnable general;

	private @Nullable Runnable lean;

	private @Nullable Supplier<CompletableFuture<T>> keyByKey;

	private @Nullable ScriptRunner runner;

	private volatile @Nullable Command sent;

	/**
	 * Create a command.
	 * @param server what all commands share
	 * @param locks the locks that it is for
	 * @param reader reads the answer
	 * @param script the first script to send
	 * @param keys its keys
	 * @param args its arguments
	 */
	ScriptCommand(LockServer server, List<LockKey> locks, Function<Object, T> reader, LockScript script, byte[][] keys,
			byte[]... args) {
		this.server = server;
		this.locks = locks;
		this.reader = reader;
		this.script = script;
		this.keys = keys;
		this.args = args;
	}

	/** From here on it is another script. */
	void become(LockScript script, byte[][] keys, byte[][] args) {
		this.script = script;
		this.keys = keys;
		this.args = args;
		this.general = null;
		this.lean = null;
	}

	/** What makes it a script that handles locks which the present one cannot. */
	ScriptCommand<T> orGeneral(Runnable general) {
		this.general = general;
		return this;
	}

	/**
	 * What makes it a script for the time in which some of its keys have moved to another
	 * node of a cluster and others have not.
	 */
	ScriptCommand<T> orLean(Runnable lean) {
		this.lean = lean;
		return this;
	}

	/** What to do instead where the keys are not together. */
	ScriptCommand<T> orKeyByKey(Supplier<CompletableFuture<T>> keyByKey) {
		this.keyByKey = keyByKey;
		return this;
	}

	/** Send it, unless it was cancelled. */
	ScriptCommand<T> send(ScriptRunner runner) {
		this.runner = runner;
		if (!isDone()) {
			runner.run(this);
		}
		return this;
	}

	@Override
	public LockScript script() {
		return this.script;
	}

	@Override
	public byte[][] keys() {
		return this.keys;
	}

	@Override
	public byte[][] args() {
		return this.args;
	}

	@Override
	public void begin(Command command) {
		this.sent = command;
		if (isCancelled()) {
			command.withdraw();
		}
	}

	@Override
	public void answered(Object answer) {
		if (!this.server.met) {
			this.server.met = true;
		}
		if (this.runner != null && isFollowed(answer)) {
			send(this.runner);
			return;
		}
		T value;
		try {
			value = this.reader.apply(answer);
		}
		catch (LockStoreException ex) {
			completeExceptionally(ex);
			return;
		}
		catch (RuntimeException ex) {
			failed(ex);
			return;
		}
		complete(value);
	}

	/** Whether another script has to follow, which it is from here on. */
	boolean isFollowed(Object answer) {
		Runnable next = this.general;
		if (next == null || !LockScript.isSentOn(answer)) {
			return false;
		}
		next.run();
		return true;
	}

	@Override
	public void failed(Throwable thrown) {
		// Also where the command was cancelled, since it took too long.
		this.server.suspect();
		if (isDone()) {
			return;
		}
		Throwable failure = RedisErrors.unwrapped(thrown);
		boolean moving = RedisFailures.isTryAgain(failure);
		if (moving && this.lean != null && this.runner != null) {
			this.lean.run();
			send(this.runner);
			return;
		}
		// Before the caller can ask how to continue.
		this.server.failed(failure);
		if (this.keyByKey != null && (moving || RedisFailures.isCrossSlot(failure))) {
			this.keyByKey.get().whenComplete(this::pass);
			return;
		}
		completeExceptionally(this.server.translated(this.script.operation(), this.locks, failure));
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
		Command current = this.sent;
		if (cancelled && current != null) {
			current.withdraw();
		}
		return cancelled;
	}

}

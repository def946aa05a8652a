package io.distributedlock.redis.driver;

import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;

/**
 * A script that a {@link ScriptRunner} runs, and its result. Cancelling it withdraws the
 * command if it was not sent yet.
 *
 * @param <T> what the answer means
 */
public abstract class ScriptCall<T> extends CompletableFuture<T> {

	private volatile @Nullable Command command;

	/** The script to run now: an answer may lead to another one. */
	public abstract RedisScript script();

	/** Its keys, in one hash slot. */
	public abstract byte[][] keys();

	/** Its arguments. */
	public abstract byte[][] args();

	/** The server answered with a number or a list of numbers and bytes. */
	public abstract void answered(Object answer);

	/** The server refused, or there is no answer. */
	public abstract void failed(Throwable failure);

	/** A driver is about to send a command for it. */
	public final void begin(Command command) {
		this.command = command;
		if (isCancelled()) {
			command.withdraw();
		}
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		boolean cancelled = super.cancel(mayInterruptIfRunning);
		Command current = this.command;
		if (cancelled && current != null) {
			current.withdraw();
		}
		return cancelled;
	}

	/** What a driver sends. */
	public interface Command {

		/** Do not send it if that was not done yet, and forget its answer. */
		void withdraw();

	}

}

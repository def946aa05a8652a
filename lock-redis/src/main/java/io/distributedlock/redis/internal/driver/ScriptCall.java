package io.distributedlock.redis.internal.driver;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

/**
 * A script to run, and the future of its answer: a number, or a list of numbers and
 * bytes. A {@link ScriptRunner} completes it, on the thread that brings the answer. It
 * fails if the server has refused, or if there is no answer. Cancelling withdraws a
 * command that was not sent.
 */
public final class ScriptCall extends CompletableFuture<Object> {

	public final Script script;

	/** The keys; in a cluster they have one hash slot. */
	public final byte[][] keys;

	public final byte[][] args;

	private final @Nullable Gathering gathering;

	/** The name of the script in the one that runs several calls. */
	final byte kind;

	/** Set once the call was refused together with others. */
	private volatile boolean alone;

	private volatile @Nullable Runnable withdrawal;

	/** Notified of the end; safely published with this call, which is sent later. */
	private @Nullable BiConsumer<@Nullable Object, @Nullable Throwable> listener;

	/** Create a call that goes alone. */
	public ScriptCall(Script script, byte[][] keys, byte[][] args) {
		this(script, keys, args, null, (byte) 0);
	}

	/**
	 * Create a call.
	 * @param gathering the way to go with others, or {@code null} to go alone
	 * @param kind the name of the script in that of the gathering
	 */
	public ScriptCall(Script script, byte[][] keys, byte[][] args, @Nullable Gathering gathering, byte kind) {
		this.script = script;
		this.keys = keys;
		this.args = args;
		this.gathering = gathering;
		this.kind = kind;
	}

	/**
	 * Set the only listener, which is notified of the end on the thread that ends the
	 * call, and must not throw. It costs nothing, unlike a dependent stage. Call it
	 * before the call is run.
	 */
	public void listen(BiConsumer<@Nullable Object, @Nullable Throwable> listener) {
		this.listener = listener;
	}

	@Override
	public boolean complete(Object answer) {
		return notified(super.complete(answer), answer, null);
	}

	@Override
	public boolean completeExceptionally(Throwable failure) {
		return notified(super.completeExceptionally(failure), null, failure);
	}

	private boolean notified(boolean ended, @Nullable Object answer, @Nullable Throwable failure) {
		BiConsumer<@Nullable Object, @Nullable Throwable> waiting = this.listener;
		if (ended && waiting != null) {
			waiting.accept(answer, failure);
		}
		return ended;
	}

	/**
	 * Return the gathering of this call with others, or {@code null} if it goes alone.
	 */
	public @Nullable Gathering gathering() {
		Gathering together = this.gathering;
		return (together == null || this.alone || together.over) ? null : together;
	}

	/** From here on it goes alone. */
	void goAlone() {
		this.alone = true;
	}

	/**
	 * Take the withdrawal of the command that is about to be sent. It runs when this call
	 * is cancelled, or at once if it has ended.
	 * @param withdraw keeps the command from being sent if that was not done yet, and
	 * ignores its answer
	 */
	public void begin(Runnable withdraw) {
		this.withdrawal = withdraw;
		if (isDone()) {
			withdraw.run();
		}
	}

	@Override
	public boolean cancel(boolean mayInterruptIfRunning) {
		if (!isDone() && completeExceptionally(new CancellationException())) {
			Runnable withdraw = this.withdrawal;
			if (withdraw != null) {
				withdraw.run();
			}
		}
		return isCancelled();
	}

}

package io.distributedlock.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.redis.driver.ScriptRunner;
import io.distributedlock.store.LockKey;
import org.jspecify.annotations.Nullable;

/**
 * Sends scripts, follows one that does not suffice by the next, and translates answers
 * and failures. Thread-safe.
 */
final class ScriptSender {

	private final ScriptCommands commands;

	private final KeyPlan plan;

	private final RedisSetup setup;

	/** Null outside a cluster. */
	private final @Nullable ClusterNodes cluster;

	/** Whether Redis has ever answered. */
	private volatile boolean met;

	ScriptSender(ScriptCommands commands, KeyPlan plan, RedisSetup setup, @Nullable ClusterNodes cluster) {
		this.commands = commands;
		this.plan = plan;
		this.setup = setup;
		this.cluster = cluster;
	}

	/**
	 * Send a command.
	 * @param runner what runs its script
	 * @param command the command
	 * @param reader reads the answer
	 * @return the answer as it was read, or a {@link LockStoreException}; cancelling it
	 * withdraws the command
	 */
	<T> CompletableFuture<T> send(ScriptRunner runner, ScriptCommand command, Function<Object, T> reader) {
		Call<T> call = new Call<>(runner, command, reader);
		call.send();
		return call;
	}

	boolean isMet() {
		return this.met;
	}

	void met() {
		if (!this.met) {
			this.met = true;
		}
	}

	/** The setup that messages name for a key: on a cluster, that of its node. */
	RedisSetup setupOf(LockKey key) {
		String node = (this.cluster != null) ? this.cluster.masterOf(this.commands.keys().hash(key)) : "";
		return node.isEmpty() ? this.setup : this.setup.at(node);
	}

	String names(List<LockKey> locks) {
		return locks.stream().map(this.commands.keys()::name).collect(Collectors.joining(", "));
	}

	/** One command on its way, in one form after another. */
	private final class Call<T> extends CompletableFuture<T> implements BiConsumer<Object, @Nullable Throwable> {

		private final ScriptRunner runner;

		private final Function<Object, T> reader;

		private ScriptCommand command;

		private volatile @Nullable CompletableFuture<Object> sent;

		Call(ScriptRunner runner, ScriptCommand command, Function<Object, T> reader) {
			this.runner = runner;
			this.command = command;
			this.reader = reader;
		}

		void send() {
			if (isDone()) {
				return;
			}
			CompletableFuture<Object> answer = this.runner.run(this.command.script(), this.command.keys(),
					this.command.args());
			this.sent = answer;
			answer.whenComplete(this);
			if (isCancelled()) {
				answer.cancel(true);
			}
		}

		@Override
		public void accept(Object answer, @Nullable Throwable failure) {
			CompletableFuture<Object> from = this.sent;
			if (failure == null) {
				answered(answer);
				return;
			}
			// Also where the command was cancelled, since it took too long.
			if (ScriptSender.this.cluster != null) {
				ScriptSender.this.cluster.failed();
			}
			if (from != null && from.isCancelled()) {
				cancel(false);
			}
			else {
				failed(RedisErrors.unwrapped(failure));
			}
		}

		private void answered(Object answer) {
			met();
			Supplier<ScriptCommand> general = this.command.general();
			if (general != null && RedisAnswers.isSentOn(answer)) {
				ScriptSender.this.commands.sentOn(this.command);
				this.command = general.get();
				send();
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

		private void failed(Throwable failure) {
			Supplier<ScriptCommand> lean = this.command.lean();
			if (lean != null && RedisFailures.isTryAgain(failure)) {
				this.command = lean.get();
				send();
				return;
			}
			// Before the caller can ask how to continue.
			ScriptSender.this.plan.failed(failure);
			List<LockKey> locks = this.command.locks();
			completeExceptionally(RedisFailures.translate(this.command.script().operation(), names(locks),
					setupOf(locks.get(0)), ScriptSender.this.met, failure));
		}

		/** Reaches the command. */
		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			CompletableFuture<Object> command = this.sent;
			if (command != null) {
				command.cancel(mayInterruptIfRunning);
			}
			return cancelled;
		}

	}

}

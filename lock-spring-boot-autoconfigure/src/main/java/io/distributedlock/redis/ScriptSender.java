package io.distributedlock.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.redis.driver.RedisScript;
import io.distributedlock.redis.driver.ScriptCall;
import io.distributedlock.redis.driver.ScriptRunner;
import io.distributedlock.store.LockKey;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.ClusterSlotHashUtil;

/**
 * Sends scripts, follows one that does not suffice by the next, and translates answers
 * and failures. Knows which keys may go into one script: all of them on a server, and
 * those of one slot on a cluster or behind a proxy that shards, which looks like a server
 * until it is asked for several keys. Thread-safe.
 */
final class ScriptSender {

	private static final Log logger = LogFactory.getLog(ScriptSender.class);

	private final ScriptCommands commands;

	private final RedisSetup setup;

	/** Null outside a cluster. */
	private final @Nullable ClusterNodes cluster;

	private volatile boolean slots;

	/** Whether Redis has ever answered. */
	private volatile boolean met;

	ScriptSender(ScriptCommands commands, RedisSetup setup, @Nullable ClusterNodes cluster) {
		this.commands = commands;
		this.setup = setup;
		this.cluster = cluster;
		this.slots = cluster != null;
	}

	/** Make a command, which is not sent yet. */
	<T> Call<T> call(ScriptRunner runner, ScriptCommand command, Function<Object, T> reader) {
		return new Call<>(runner, command, reader);
	}

	boolean isMet() {
		return this.met;
	}

	void met() {
		if (!this.met) {
			this.met = true;
		}
	}

	/** Whether keys of different slots may not go into one script. */
	boolean hasSlots() {
		return this.slots;
	}

	boolean takesTogether(List<LockKey> keys) {
		return !this.slots || ClusterSlotHashUtil.isSameSlotForAllKeys(this.commands.keys().hashes(keys));
	}

	/** A script has failed, maybe since its keys are in different slots. */
	void failed(Throwable failure) {
		if (!this.slots && RedisFailures.isCrossSlot(failure)) {
			this.slots = true;
			logger.info("Redis%s takes no scripts with keys of different hash slots, as a proxy that shards: "
				.formatted(this.setup.server().isEmpty() ? "" : " at " + this.setup.server())
					+ "locks are renewed one by one, and several keys of one request are taken one after the other");
		}
	}

	/** The setup that messages name for a key: on a cluster, that of its node. */
	RedisSetup setupOf(LockKey key) {
		String node = (this.cluster != null) ? this.cluster.masterOf(this.commands.keys().hash(key)) : "";
		return node.isEmpty() ? this.setup : this.setup.at(node);
	}

	/** One command on its way, in one form after another. */
	final class Call<T> extends ScriptCall<T> {

		private final ScriptRunner runner;

		private final Function<Object, T> reader;

		private ScriptCommand current;

		private @Nullable Supplier<CompletableFuture<T>> keyByKey;

		private Call(ScriptRunner runner, ScriptCommand command, Function<Object, T> reader) {
			this.runner = runner;
			this.current = command;
			this.reader = reader;
		}

		/** What to do instead where the keys are not together. */
		Call<T> orElse(Supplier<CompletableFuture<T>> keyByKey) {
			this.keyByKey = keyByKey;
			return this;
		}

		/** Send it, unless it was cancelled. */
		Call<T> send() {
			if (!isDone()) {
				this.runner.run(this);
			}
			return this;
		}

		@Override
		public RedisScript script() {
			return this.current.script();
		}

		@Override
		public byte[][] keys() {
			return this.current.keys();
		}

		@Override
		public byte[][] args() {
			return this.current.args();
		}

		@Override
		public void answered(Object answer) {
			met();
			Supplier<ScriptCommand> general = this.current.general();
			if (general != null && RedisAnswers.isSentOn(answer)) {
				ScriptSender.this.commands.sentOn(this.current);
				this.current = general.get();
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

		@Override
		public void failed(Throwable thrown) {
			// Also where the command was cancelled, since it took too long.
			if (ScriptSender.this.cluster != null) {
				ScriptSender.this.cluster.failed();
			}
			if (isDone()) {
				return;
			}
			Throwable failure = RedisErrors.unwrapped(thrown);
			Supplier<ScriptCommand> lean = this.current.lean();
			if (lean != null && RedisFailures.isTryAgain(failure)) {
				this.current = lean.get();
				send();
				return;
			}
			// Before the caller can ask how to continue.
			ScriptSender.this.failed(failure);
			if (this.keyByKey != null && (RedisFailures.isTryAgain(failure) || RedisFailures.isCrossSlot(failure))) {
				this.keyByKey.get().whenComplete(this::pass);
				return;
			}
			List<LockKey> locks = this.current.locks();
			String names = locks.stream()
				.map(ScriptSender.this.commands.keys()::name)
				.collect(Collectors.joining(", "));
			completeExceptionally(RedisFailures.translate(this.current.script().operation(), names,
					setupOf(locks.get(0)), ScriptSender.this.met, failure));
		}

		private void pass(T value, @Nullable Throwable failure) {
			if (failure != null) {
				completeExceptionally(RedisErrors.unwrapped(failure));
			}
			else {
				complete(value);
			}
		}

	}

}

package io.distributedlock.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Predicate;

import io.distributedlock.LockInspection;
import io.distributedlock.LockStoreException;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewAnswers;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.WakeUpListener;

/**
 * A node in memory that can be refused, frozen, slow in answering and made to forget. Its
 * clock is the test's, and may be wrong by some time.
 */
final class VirtualNode {

	private static final Duration RETENTION = Duration.ofSeconds(60);

	final String name;

	private final ManualTimer timer;

	private final List<Connection> connections = new ArrayList<>();

	/** Commands that a frozen node has received, or answers that are held back. */
	private final List<Runnable> parked = new ArrayList<>();

	/** The answers to the parked commands. */
	private final List<CompletableFuture<?>> awaited = new ArrayList<>();

	/** The commands that were sent to it, in order. */
	final List<String> asked = new ArrayList<>();

	private MemoryLocks locks;

	State state = State.UP;

	LockStoreException.Kind failure = LockStoreException.Kind.UNAVAILABLE;

	/** Commands that are late on their way, while others overtake them. */
	Predicate<String> delayed = (what) -> false;

	/** Commands that have failed before the node does them. */
	Predicate<String> timedOut = (what) -> false;

	/** How far its clock is ahead. */
	Duration skew = Duration.ZERO;

	/** {@code true} if it says that it has raised a token, and has not. */
	boolean pretendsToRaise;

	/** {@code true} if people may look into it. */
	boolean hasMonitor = true;

	/** {@code true} if it is lost as soon as it has granted something. */
	boolean losesRaise;

	VirtualNode(String name, ManualTimer timer) {
		this.name = name;
		this.timer = timer;
		this.locks = newLocks();
	}

	private MemoryLocks newLocks() {
		return new MemoryLocks(() -> this.timer.nanos() + this.skew.toNanos(), RETENTION);
	}

	/** Forget everything. */
	void restartEmpty() {
		this.locks = newLocks();
		this.connections.forEach(Connection::reconnect);
	}

	boolean isLocked(LockKey key) {
		return this.locks.isLocked(key.name(), key.key());
	}

	/** Do, or answer, the parked commands. Nothing is late any more. */
	void resume() {
		this.state = State.UP;
		this.delayed = (what) -> false;
		List<Runnable> waiting = List.copyOf(this.parked);
		this.parked.clear();
		this.awaited.clear();
		waiting.forEach(Runnable::run);
	}

	/** Like {@link #resume}, but the last command is applied first. */
	void resumeInReverse() {
		Collections.reverse(this.parked);
		resume();
	}

	/** Fail the pending answers; their commands are still to be applied. */
	void failAnswers() {
		this.awaited
			.forEach((answer) -> answer.completeExceptionally(new LockStoreException(this.failure, "timed out", null)));
		this.awaited.clear();
	}

	/** The answers awaited since the node last resumed, completed ones too. */
	List<CompletableFuture<?>> awaited() {
		return this.awaited;
	}

	/** Return the listeners that its connections have been given to wake. */
	List<WakeUpListener> listeners() {
		return this.connections.stream().map((connection) -> connection.listener).toList();
	}

	Connection connect() {
		Connection connection = new Connection();
		this.connections.add(connection);
		return connection;
	}

	/** How the node behaves. */
	enum State {

		/** Does each command at once. */
		UP,

		/** Refuses connections. */
		DOWN,

		/** Does each command when it goes on. */
		FROZEN,

		/** Does each command at once and answers when it goes on. */
		MUTE

	}

	/** The connection of an instance to the node. */
	final class Connection implements QuorumNode, StoreMonitor {

		private MemoryLockStore store = new MemoryLockStore(VirtualNode.this.locks);

		private String instance = "";

		private WakeUpListener listener;

		private void reconnect() {
			this.store = new MemoryLockStore(VirtualNode.this.locks);
			if (this.listener != null) {
				this.store.start(this.instance, this.listener);
			}
		}

		private <T> CompletableFuture<T> ask(String what, Function<QuorumNode, CompletableFuture<T>> command) {
			VirtualNode.this.asked.add(what);
			CompletableFuture<T> answer = new CompletableFuture<>();
			if (VirtualNode.this.timedOut.test(what)) {
				answer.completeExceptionally(new LockStoreException(VirtualNode.this.failure, "timed out", null));
			}
			if (answer.isDone() || VirtualNode.this.delayed.test(what)) {
				park(answer, command);
				return answer;
			}
			switch (VirtualNode.this.state) {
				case UP -> answer.complete(command.apply(this.store).join());
				case DOWN -> answer.completeExceptionally(
						new LockStoreException(VirtualNode.this.failure, "connection refused", null));
				case FROZEN -> park(answer, command);
				case MUTE -> {
					T value = command.apply(this.store).join();
					VirtualNode.this.parked.add(() -> answer.complete(value));
				}
			}
			return answer;
		}

		private <T> void park(CompletableFuture<T> answer, Function<QuorumNode, CompletableFuture<T>> command) {
			VirtualNode.this.awaited.add(answer);
			VirtualNode.this.parked.add(() -> answer.complete(command.apply(this.store).join()));
		}

		@Override
		public String name() {
			return VirtualNode.this.name;
		}

		@Override
		public CompletableFuture<AcquireOutcome> acquire(AcquireCommand command) {
			return ask(verb(command), (node) -> node.acquire(command));
		}

		private static String verb(AcquireCommand command) {
			return command.retakes() ? "claim" : "acquire " + command.mode();
		}

		@Override
		public CompletableFuture<Boolean> raise(RaiseCommand command) {
			if (VirtualNode.this.losesRaise) {
				return CompletableFuture
					.failedFuture(new LockStoreException(VirtualNode.this.failure, "connection reset", null));
			}
			RaiseCommand done = VirtualNode.this.pretendsToRaise
					? new RaiseCommand(command.keys(), command.request(), 0) : command;
			return ask("raise", (node) -> node.raise(done));
		}

		@Override
		public List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
			CompletableFuture<List<Ownership>> answer = ask("renew",
					(node) -> CompletableFuture.completedFuture(RenewAnswers.join(node.renew(commands))));
			return RenewAnswers.apart(answer, commands.size());
		}

		@Override
		public CompletableFuture<Ownership> extend(ExtendCommand command) {
			return ask("extend", (node) -> node.extend(command));
		}

		@Override
		public CompletableFuture<Ownership> release(ReleaseCommand command) {
			return ask("release", (node) -> node.release(command));
		}

		@Override
		public CompletableFuture<Void> abandon(AbandonCommand command) {
			return ask(command.waiting().isZero() ? "abandon" : "withdraw", (node) -> node.abandon(command));
		}

		@Override
		public StoreMonitor monitor() {
			return VirtualNode.this.hasMonitor ? this : null;
		}

		@Override
		public CompletableFuture<LockInspection> inspect(LockKey key) {
			return ask("inspect", (node) -> node.monitor().inspect(key));
		}

		@Override
		public CompletableFuture<Integer> forceRelease(ForceReleaseCommand command) {
			return ask("force", (node) -> node.monitor().forceRelease(command));
		}

		@Override
		public Set<StoreCapability> capabilities() {
			return EnumSet.complementOf(EnumSet.of(StoreCapability.CALLER_THREAD));
		}

		@Override
		public boolean takesTogether(List<LockKey> keys) {
			return true;
		}

		@Override
		public void start(String instance, WakeUpListener listener) {
			this.instance = instance;
			this.listener = listener;
			this.store.start(instance, listener);
		}

		@Override
		public Duration commandTimeout() {
			return Duration.ofSeconds(1);
		}

		@Override
		public void close() {
			this.store.close();
		}

	}

}

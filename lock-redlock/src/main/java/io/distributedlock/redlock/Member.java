package io.distributedlock.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCall;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.StoreNode;
import org.jspecify.annotations.Nullable;

/**
 * A node, and the commands that wait for its answer. A command without an answer in time
 * is cancelled, even if the others have decided long before: its driver learns in this
 * way that a connection is dead. A node with too many unanswered commands gets no more
 * until some of them end.
 */
final class Member {

	private static final int MOST_UNANSWERED = 1024;

	final QuorumNode node;

	private final QuorumTimer timer;

	private final AtomicInteger unanswered = new AtomicInteger();

	/** Time of the last answer, or of the creation before there is one. */
	private volatile long answeredAt = System.nanoTime();

	Member(QuorumNode node, QuorumTimer timer) {
		this.node = node;
		this.timer = timer;
	}

	/**
	 * Send a command to the node; an exception that it throws becomes a failed future.
	 * @param command returns the future of the node itself, which can be cancelled
	 */
	<T> CompletableFuture<T> ask(Function<QuorumNode, CompletableFuture<T>> command) {
		return ask(command, (answer) -> answer.cancel(true));
	}

	/** Send a command to the monitor of the node. */
	<T> CompletableFuture<T> askMonitor(Function<StoreMonitor, CompletableFuture<T>> command) {
		return ask((node) -> command.apply(monitor()));
	}

	/**
	 * Ask the monitor beside the commands, without a limit of time; an exception or error
	 * that it throws becomes a failed future.
	 */
	<T> CompletableFuture<T> monitored(Function<StoreMonitor, CompletableFuture<T>> question) {
		return StoreCall.send(() -> question.apply(monitor()));
	}

	/** Return the servers of the node; a node that fails is one failed server. */
	CompletableFuture<List<StoreNode>> servers() {
		return monitored(StoreMonitor::nodes).exceptionally((failure) -> List
			.of(StoreNode.failed(this.node.name(), new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
					"Cannot ask it about its servers: " + failure, failure))));
	}

	/** Return the monitor of the node. Each node of a store with a monitor has one. */
	StoreMonitor monitor() {
		return Objects.requireNonNull(this.node.monitor(), "monitor");
	}

	private <T> CompletableFuture<T> ask(Function<QuorumNode, CompletableFuture<T>> command,
			Consumer<CompletableFuture<T>> withdrawal) {
		if (this.unanswered.incrementAndGet() > MOST_UNANSWERED) {
			this.unanswered.decrementAndGet();
			return CompletableFuture.failedFuture(new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
					MOST_UNANSWERED + " commands wait for an answer of it", null));
		}
		CompletableFuture<T> answer = StoreCall.send(() -> command.apply(this.node));
		withdrawInTime(answer, withdrawal);
		answer.whenComplete((value, ex) -> answered(ex));
		return answer;
	}

	private void answered(@Nullable Throwable ex) {
		this.unanswered.decrementAndGet();
		if (ex == null) {
			this.answeredAt = System.nanoTime();
		}
	}

	/** Return the time since the last answer of the node. */
	Duration sinceLastAnswer() {
		return Duration.ofNanos(Math.max(0, System.nanoTime() - this.answeredAt));
	}

	private <T> void withdrawInTime(CompletableFuture<T> answer, Consumer<CompletableFuture<T>> withdrawal) {
		if (!answer.isDone()) {
			Runnable answered = this.timer.schedule(this.node.commandTimeout(), () -> withdrawal.accept(answer));
			answer.whenComplete((value, ex) -> answered.run());
		}
	}

	/** Renew many leases at once, which count as one unanswered command. */
	List<CompletableFuture<Ownership>> renew(List<RenewCommand> commands) {
		List<CompletableFuture<Ownership>> answers = new ArrayList<>(commands.size());
		CompletableFuture<?> all = ask((node) -> {
			answers.addAll(node.renew(commands));
			return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
		}, (unanswered) -> answers.forEach((answer) -> answer.cancel(true)));
		return !answers.isEmpty() ? answers
				: Collections.nCopies(commands.size(), all.thenApply((nothing) -> Ownership.LOST));
	}

	/** End a request that has left something on this node, or may do so later. */
	void end(List<LockKey> keys, RequestId request, Duration waiting) {
		ask((node) -> node.abandon(new AbandonCommand(keys, request, null, waiting)));
	}

	CompletableFuture<Boolean> raise(List<LockKey> keys, RequestId request, long token) {
		return ask((node) -> node.raise(new RaiseCommand(keys, request, token)));
	}

	/** Return the failure of a command to the node. */
	static LockStoreException failure(Throwable ex) {
		Throwable cause = (ex instanceof CompletionException && ex.getCause() != null) ? ex.getCause() : ex;
		if (cause instanceof LockStoreException failure) {
			return failure;
		}
		String text = (cause instanceof CancellationException) ? "no answer in time" : cause.toString();
		return new LockStoreException(LockStoreException.Kind.UNAVAILABLE, text, cause);
	}

}

package io.distributedlock.redlock;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.RenewCommand;
import org.jspecify.annotations.Nullable;

/**
 * A node and how it does. A node that has stopped answering is asked nothing more before
 * it answers again, once so many commands wait for it that they begin to weigh.
 */
final class Member {

	private static final int MOST_UNANSWERED = 1024;

	final QuorumNode node;

	private final AtomicInteger unanswered = new AtomicInteger();

	/** Whether the last that is known of this node is a failure or a silence. */
	private volatile boolean doubtful;

	Member(QuorumNode node) {
		this.node = node;
	}

	String name() {
		return this.node.name();
	}

	boolean isDoubtful() {
		return this.doubtful;
	}

	/** It has not answered in time. */
	void silent() {
		this.doubtful = true;
	}

	/** Ask the node; what it throws is an answer as well. */
	<T> CompletableFuture<T> ask(Function<QuorumNode, CompletableFuture<T>> command) {
		if (this.unanswered.incrementAndGet() > MOST_UNANSWERED) {
			this.unanswered.decrementAndGet();
			return CompletableFuture.failedFuture(new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
					MOST_UNANSWERED + " commands wait for an answer of it", null));
		}
		CompletableFuture<T> answer;
		try {
			answer = command.apply(this.node);
		}
		catch (Throwable ex) {
			answer = CompletableFuture.failedFuture(ex);
		}
		answer.whenComplete((value, ex) -> {
			this.unanswered.decrementAndGet();
			if (ex == null) {
				this.doubtful = false;
			}
			else if (!(cause(ex) instanceof CancellationException)) {
				this.doubtful = failure(ex).getKind() == LockStoreException.Kind.UNAVAILABLE;
			}
		});
		return answer;
	}

	/** Ask the node for many things at once, which weigh as one. */
	List<CompletableFuture<Boolean>> renew(List<RenewCommand> commands) {
		List<CompletableFuture<Boolean>> answers = new ArrayList<>(commands.size());
		CompletableFuture<?> all = ask((node) -> {
			answers.addAll(node.renew(commands));
			return CompletableFuture.allOf(answers.toArray(CompletableFuture<?>[]::new));
		});
		if (answers.size() != commands.size()) {
			Throwable failure = all.handle((nothing, ex) -> ex).join();
			CompletableFuture<Boolean> failed = CompletableFuture.failedFuture((failure != null) ? failure
					: new IllegalStateException(answers.size() + " answers to " + commands.size() + " renewals"));
			return Collections.nCopies(commands.size(), failed);
		}
		return answers;
	}

	/** What went wrong when the node was asked. */
	static LockStoreException failure(Throwable ex) {
		Throwable cause = cause(ex);
		if (cause instanceof LockStoreException failure) {
			return failure;
		}
		return new LockStoreException(LockStoreException.Kind.UNAVAILABLE, describe(cause), cause);
	}

	private static Throwable cause(Throwable ex) {
		return (ex instanceof CompletionException && ex.getCause() != null) ? ex.getCause() : ex;
	}

	private static String describe(@Nullable Throwable cause) {
		return (cause instanceof CancellationException) ? "the command was withdrawn" : String.valueOf(cause);
	}

}

package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.ToLongFunction;

import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.store.RenewCommand;
import org.jspecify.annotations.Nullable;

/**
 * Renewals that are sent together and answered one by one. The timer is the time-out of
 * those that are not answered yet.
 */
class RenewalBatch extends HeapTimer {

	private final Renewals renewals;

	private final List<Grant> grants;

	private final long[] ttlNanos;

	private final long patience;

	private final AtomicInteger missing;

	private long sentAt;

	private List<CompletableFuture<Boolean>> answers = List.of();

	/** Each gets what it is due: its ttl, or only a confirmation. */
	RenewalBatch(Renewals renewals, List<Grant> grants, long patience) {
		this(renewals, grants, (grant) -> grant.renewalNanos(renewals.engine().now()), patience);
	}

	RenewalBatch(Renewals renewals, List<Grant> grants, ToLongFunction<Grant> ttl, long patience) {
		this.renewals = renewals;
		this.grants = grants;
		this.patience = patience;
		this.ttlNanos = grants.stream().mapToLong(ttl).toArray();
		this.missing = new AtomicInteger(grants.size());
	}

	void send() {
		Engine engine = this.renewals.engine();
		List<RenewCommand> commands = commands();
		this.sentAt = engine.now();
		List<CompletableFuture<Boolean>> sent = ask(commands);
		this.answers = sent;
		if (!sent.stream().allMatch(CompletableFuture::isDone)) {
			engine.loop().schedule(this, this.sentAt + this.patience);
		}
		int from = 0;
		for (int i = 0; i < this.grants.size(); i++) {
			int index = i;
			int to = from + this.grants.get(i).queue.keys().list().size();
			all(sent.subList(from, to)).whenComplete((owner, ex) -> answered(index, owner, ex));
			from = to;
		}
		if (engine.isStopped()) {
			abort();
		}
	}

	private List<RenewCommand> commands() {
		List<RenewCommand> commands = new ArrayList<>(this.grants.size());
		for (int i = 0; i < this.grants.size(); i++) {
			Grant grant = this.grants.get(i);
			Duration ttl = Duration.ofNanos(this.ttlNanos[i]);
			grant.queue.keys().list().forEach((key) -> commands.add(new RenewCommand(key, grant.request(), ttl)));
		}
		return commands;
	}

	/** What the store throws is an answer as well, an Error too. */
	private List<CompletableFuture<Boolean>> ask(List<RenewCommand> commands) {
		Throwable failure;
		try {
			List<CompletableFuture<Boolean>> sent = this.renewals.engine().store().renew(commands);
			if (sent.size() == commands.size()) {
				return sent;
			}
			failure = new IllegalStateException(
					"The store gave %d answers to %d renewals".formatted(sent.size(), commands.size()));
		}
		catch (Throwable ex) {
			failure = ex;
		}
		CompletableFuture<Boolean> failed = CompletableFuture.failedFuture(failure);
		return commands.stream().map((command) -> failed).toList();
	}

	/** The answer for a grant of several locks. One that is lost outweighs a failure. */
	private static CompletableFuture<Boolean> all(List<CompletableFuture<Boolean>> parts) {
		if (parts.size() == 1) {
			return parts.get(0);
		}
		CompletableFuture<Void> allDone = CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new));
		return allDone.handle((nothing, ex) -> parts.stream().anyMatch(RenewalBatch::saysNo))
			.thenCompose(
					(lost) -> lost ? CompletableFuture.completedFuture(false) : allDone.thenApply((nothing) -> true));
	}

	private static boolean saysNo(CompletableFuture<Boolean> part) {
		return !part.isCompletedExceptionally() && Boolean.FALSE.equals(part.join());
	}

	private void answered(int index, @Nullable Boolean owner, @Nullable Throwable ex) {
		Grant grant = this.grants.get(index);
		LockStoreException failure = null;
		try {
			if (owner == null) {
				failure = this.renewals.engine().renewalFailed(grant, ex);
			}
			else if (owner) {
				this.renewals.renewed(grant, this.sentAt, this.ttlNanos[index]);
			}
			else {
				grant.lose(LossReason.NOT_OWNER);
			}
			settled(grant, failure);
		}
		finally {
			if (this.missing.decrementAndGet() == 0) {
				this.renewals.engine().loop().cancel(this);
				landed();
			}
		}
	}

	@Override
	void fire(long now) {
		abort();
	}

	/** Wait no longer for what is still missing. */
	@Override
	void abort() {
		this.answers.forEach((answer) -> answer.cancel(true));
	}

	/** All answers are there, or will not be. */
	void landed() {
	}

	/** What became of one renewal. */
	void settled(Grant grant, @Nullable LockStoreException failure) {
	}

}

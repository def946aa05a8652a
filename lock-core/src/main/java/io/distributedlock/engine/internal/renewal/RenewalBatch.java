package io.distributedlock.engine.internal.renewal;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.ToLongFunction;

import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.lease.RenewalHistory;
import io.distributedlock.engine.internal.time.HeapTimer;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.StoreCall;
import org.jspecify.annotations.Nullable;

/**
 * Renewals that are sent together and answered one by one. A renewal that is not answered
 * in time has failed, and other batches wait for it no longer. But the store may have
 * applied it, so a later answer still counts. The timer is the time-out, then the end of
 * the wait for late answers.
 */
class RenewalBatch extends HeapTimer {

	private final Renewals renewals;

	private final List<Grant> grants;

	private final ToLongFunction<Grant> ttl;

	private final long[] ttlNanos;

	/** The history with which each was sent. */
	private final RenewalHistory[] sent;

	private final long patience;

	/** Set to 1 once the answer or failure of a grant was reported. */
	private final AtomicIntegerArray told;

	private final AtomicInteger missing;

	private long sentAt;

	/** Time until which late answers are awaited. */
	private long end;

	private volatile boolean answered;

	private List<CompletableFuture<Ownership>> answers = List.of();

	/** Create a batch that renews each grant, or only confirms it. */
	RenewalBatch(Renewals renewals, List<Grant> grants, long patience) {
		this(renewals, grants, (grant) -> grant.renewalNanos(renewals.instance().now()), patience);
	}

	RenewalBatch(Renewals renewals, List<Grant> grants, ToLongFunction<Grant> ttl, long patience) {
		this.renewals = renewals;
		this.grants = grants;
		this.ttl = ttl;
		this.patience = patience;
		this.ttlNanos = new long[grants.size()];
		this.sent = new RenewalHistory[grants.size()];
		this.told = new AtomicIntegerArray(grants.size());
		this.missing = new AtomicInteger(grants.size());
	}

	void send() {
		Instance instance = this.renewals.instance();
		// Read before marks are drawn: only marks of after a clock jump end the doubt.
		this.sentAt = instance.now();
		this.end = this.sentAt + this.grants.stream().mapToLong(Grant::patience).max().orElse(0);
		List<CompletableFuture<Ownership>> sent = ask();
		this.answers = sent;
		if (!sent.stream().allMatch(CompletableFuture::isDone)) {
			instance.timers.schedule(this, this.sentAt + this.patience);
		}
		int from = 0;
		for (int i = 0; i < this.grants.size(); i++) {
			int index = i;
			int to = from + answersFor(this.grants.get(i));
			all(sent.subList(from, to)).whenComplete((answer, ex) -> answered(index, answer, ex));
			from = to;
		}
		if (instance.isStopped()) {
			abort();
		}
	}

	/** Return the number of answers that the store gives for a grant. */
	int answersFor(Grant grant) {
		return grant.keys().size();
	}

	/** Set marks and ttl, in this order: an extend changes both at once. */
	final void marked(int index, RenewalHistory history) {
		this.sent[index] = history;
		this.ttlNanos[index] = this.ttl.applyAsLong(this.grants.get(index));
	}

	private List<RenewCommand> commands() {
		List<RenewCommand> commands = new ArrayList<>(this.grants.size());
		for (int i = 0; i < this.grants.size(); i++) {
			Grant grant = this.grants.get(i);
			RenewalHistory history = grant.markRenewal(this.sentAt);
			marked(i, history);
			Duration ttl = Duration.ofNanos(this.ttlNanos[i]);
			grant.keys().forEach((key) -> commands.add(new RenewCommand(key, grant.request(), ttl, history.marks())));
		}
		return commands;
	}

	/**
	 * Send the commands. An exception or Error that the store throws is an answer, too.
	 */
	List<CompletableFuture<Ownership>> ask() {
		List<RenewCommand> commands = commands();
		Throwable failure;
		try {
			List<CompletableFuture<Ownership>> sent = this.renewals.instance().store.renew(commands);
			if (sent.size() == commands.size()) {
				return sent.stream().allMatch(Objects::nonNull) ? sent
						: sent.stream().map(RenewalBatch::orFailed).toList();
			}
			failure = new IllegalStateException(
					"The store gave %d answers to %d renewals".formatted(sent.size(), commands.size()));
		}
		catch (Throwable ex) {
			failure = ex;
		}
		CompletableFuture<Ownership> failed = CompletableFuture.failedFuture(failure);
		return commands.stream().map((command) -> failed).toList();
	}

	/** Return the answer, or a failure where there is none: others go on. */
	private static CompletableFuture<Ownership> orFailed(@Nullable CompletableFuture<Ownership> answer) {
		return (answer != null) ? answer
				: CompletableFuture.failedFuture(new NullPointerException(StoreCall.NO_FUTURE));
	}

	/** Combine the answers for a grant of several locks. A loss outweighs a failure. */
	private static CompletableFuture<Ownership> all(List<CompletableFuture<Ownership>> parts) {
		if (parts.size() == 1) {
			return parts.get(0);
		}
		CompletableFuture<Void> allDone = CompletableFuture.allOf(parts.toArray(CompletableFuture<?>[]::new));
		return allDone.handle((nothing, ex) -> worst(parts))
			.thenCompose((worst) -> (worst != Ownership.HELD) ? CompletableFuture.completedFuture(worst)
					: allDone.thenApply((nothing) -> worst));
	}

	private static Ownership worst(List<CompletableFuture<Ownership>> parts) {
		return parts.stream()
			.filter((part) -> !part.isCompletedExceptionally())
			.map(CompletableFuture::join)
			.reduce(Ownership.HELD, Ownership::and);
	}

	private void answered(int index, @Nullable Ownership answer, @Nullable Throwable ex) {
		Grant grant = this.grants.get(index);
		try {
			if (ex == null && !this.answered) {
				this.answered = true;
				firstAnswer(this.renewals.instance().now());
			}
			boolean lost = isLoss(index, answer);
			if (answer == Ownership.HELD) {
				this.renewals.renewed(grant, this.sent[index], this.sentAt, this.ttlNanos[index]);
			}
			else if (answer != null && lost) {
				grant.lose(grant.lossReason(answer));
			}
			tell(index, !lost && answer != Ownership.HELD, ex);
		}
		finally {
			if (this.missing.decrementAndGet() == 0) {
				this.renewals.instance().timers.cancel(this);
				landed();
			}
		}
	}

	/**
	 * Return whether an answer is a loss. The store also refuses a renewal behind a later
	 * one of the same holder, which is no loss.
	 */
	boolean isLoss(int index, @Nullable Ownership answer) {
		return answer != null && answer != Ownership.HELD
				&& this.sent[index].marks().equals(this.grants.get(index).marks());
	}

	private void tell(int index, boolean failed, @Nullable Throwable ex) {
		if (this.told.compareAndSet(index, 0, 1)) {
			Grant grant = this.grants.get(index);
			LockStoreException failure = failed ? this.renewals.failure(verb(), grant, ex) : null;
			if (failure != null) {
				failed(grant, failure, ex != null && !Failure.isLate(ex));
			}
			settled(grant, failure);
		}
	}

	String verb() {
		return "renew";
	}

	/**
	 * Handle an unconfirmed renewal.
	 * @param refused {@code true} if the store has refused it or could not be asked
	 */
	void failed(Grant grant, LockStoreException failure, boolean refused) {
		this.renewals.failed(grant, failure);
	}

	@Override
	public void fire(long now) {
		if (now >= this.end) {
			abort();
			return;
		}
		this.renewals.instance().timers.schedule(this, this.end);
		for (int i = 0; i < this.grants.size(); i++) {
			tell(i, true, null);
		}
		if (this.missing.get() == 0) {
			this.renewals.instance().timers.cancel(this);
		}
		landed();
	}

	/** Wait a little longer for the answers. */
	void postpone(long now, long nanos) {
		long more = Math.min(nanos, this.patience);
		this.end += more;
		this.renewals.instance().timers.schedule(this, now + more);
	}

	/** Wait no longer for the missing answers. */
	@Override
	public void abort() {
		this.answers.forEach((answer) -> answer.cancel(true));
	}

	/** Called when all answers are there or late, maybe twice. */
	void landed() {
	}

	/** The first answer of the store is there, maybe late. */
	void firstAnswer(long now) {
	}

	long sentAt() {
		return this.sentAt;
	}

	boolean isAnswered() {
		return this.answered;
	}

	/**
	 * After a time-out, retry this batch in this tick, since its leases end first. After
	 * an error its grants wait for their timers.
	 */
	void comeDueIfTimedOut() {
		long now = this.renewals.instance().now();
		if (now - this.sentAt >= this.patience / 2) {
			for (Grant grant : this.grants) {
				if (grant.confirmedAt() < this.sentAt && grant.isHeld(now)) {
					grant.schedule(this.sentAt);
				}
			}
		}
	}

	/** Called with the outcome of a renewal, for a caller that waits for it. */
	void settled(Grant grant, @Nullable LockStoreException failure) {
	}

}

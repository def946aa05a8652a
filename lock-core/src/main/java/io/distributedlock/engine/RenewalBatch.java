package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.function.ToLongFunction;

import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.HeapTimer;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewCommand;
import org.jspecify.annotations.Nullable;

/**
 * Renewals that are sent together and answered one by one. Those not answered in time
 * have failed, and others need not wait for them any more; but the store may have applied
 * them, so an answer that comes later still counts for what it is worth. The timer is the
 * first time-out and then the end of that.
 */
class RenewalBatch extends HeapTimer {

	private final Renewals renewals;

	private final List<Grant> grants;

	private final ToLongFunction<Grant> ttl;

	private final long[] ttlNanos;

	/** What each was sent with. */
	private final RenewalHistory[] sent;

	private final long patience;

	/** Which of them have been answered or have failed. */
	private final AtomicIntegerArray told;

	private final AtomicInteger missing;

	private long sentAt;

	/** When no answer is worth anything any more. */
	private long end;

	private volatile boolean answered;

	private List<CompletableFuture<Ownership>> answers = List.of();

	/** Each gets what it is due: its ttl, or only a confirmation. */
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
		// Before marks are drawn, so that what confirms a doubt has marks of after it.
		this.sentAt = instance.now();
		this.end = this.sentAt + this.grants.stream().mapToLong(Grant::patience).max().orElse(0);
		List<CompletableFuture<Ownership>> sent = ask();
		this.answers = sent;
		if (!sent.stream().allMatch(CompletableFuture::isDone)) {
			instance.loop.schedule(this, this.sentAt + this.patience);
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

	/** How many answers the store gives for a grant. */
	int answersFor(Grant grant) {
		return grant.keys().size();
	}

	/** The ttl is looked up after the marks, since an extend changes both at once. */
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

	/** What the store throws is an answer as well, an Error too. */
	List<CompletableFuture<Ownership>> ask() {
		List<RenewCommand> commands = commands();
		Throwable failure;
		try {
			List<CompletableFuture<Ownership>> sent = this.renewals.instance().store.renew(commands);
			if (sent.size() == commands.size()) {
				return sent;
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

	/** The answer for a grant of several locks. One that is lost outweighs a failure. */
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
				this.renewals.instance().loop.cancel(this);
				landed();
			}
		}
	}

	/** The store refuses a renewal that comes behind a later one of the same holder. */
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

	/** What the store is asked for. */
	String verb() {
		return "renew";
	}

	/**
	 * A renewal was not confirmed.
	 * @param refused whether the store has said so, or could not be asked
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
		this.renewals.instance().loop.schedule(this, this.end);
		for (int i = 0; i < this.grants.size(); i++) {
			tell(i, true, null);
		}
		if (this.missing.get() == 0) {
			this.renewals.instance().loop.cancel(this);
		}
		landed();
	}

	/** Wait a little longer for the answers. */
	void postpone(long now, long nanos) {
		long more = Math.min(nanos, this.patience);
		this.end += more;
		this.renewals.instance().loop.schedule(this, now + more);
	}

	/** Wait no longer for what is still missing. */
	@Override
	public void abort() {
		this.answers.forEach((answer) -> answer.cancel(true));
	}

	/** All answers are there, or late. */
	void landed() {
	}

	/** The store has answered, maybe late. */
	void firstAnswer(long now) {
	}

	long sentAt() {
		return this.sentAt;
	}

	/** Whether the store has answered for one of them. */
	boolean isAnswered() {
		return this.answered;
	}

	/**
	 * Its leases end first, so they are tried again next, in this tick. An error is left
	 * to time.
	 */
	void comeDueIfTimedOut() {
		long now = this.renewals.instance().now();
		if (now - this.sentAt >= this.patience / 2) {
			for (Grant grant : this.grants) {
				if (grant.confirmedAt < this.sentAt && grant.isHeld(now)) {
					grant.schedule(this.sentAt);
				}
			}
		}
	}

	/** The outcome of one renewal, as far as a caller waits for it. */
	void settled(Grant grant, @Nullable LockStoreException failure) {
	}

}

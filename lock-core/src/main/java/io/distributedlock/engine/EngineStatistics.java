package io.distributedlock.engine;

import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.line.QueueIndex;
import io.distributedlock.engine.internal.line.Waiter;
import io.distributedlock.engine.internal.report.EventCallbacks;
import io.distributedlock.event.AcquiredFrom;
import io.distributedlock.event.LockStatistics;
import io.distributedlock.store.StoreMonitor;

/** The numbers of one engine. Waiters are counted at each call. */
final class EngineStatistics implements LockStatistics {

	/** A budget of this length is meant to be long, such as that of a candidate. */
	private static final long LONG_BUDGET_NANOS = Duration.ofDays(1).toNanos();

	private final QueueIndex queues;

	private final Instance instance;

	private final EventCallbacks events;

	EngineStatistics(QueueIndex queues, EventCallbacks events) {
		this.queues = queues;
		this.instance = queues.instance;
		this.events = events;
	}

	@Override
	public int held() {
		return this.instance.heldCount();
	}

	@Override
	public int overdue() {
		long now = this.instance.now();
		return (int) this.queues.all()
			.stream()
			.flatMap((queue) -> queue.allHeld().stream())
			.filter((grant) -> LocalLocks.isOverdue(grant, now))
			.count();
	}

	@Override
	public int waiting() {
		return (int) waiters().count();
	}

	@Override
	public Duration oldestWait() {
		long now = this.instance.now();
		return Duration.ofNanos(waiters().filter((waiter) -> !isToWaitLong(waiter))
			.mapToLong((waiter) -> now - waiter.startedAt)
			.max()
			.orElse(0));
	}

	/** A call of {@code lock()} has no budget: a lock that is never released is a bug. */
	private static boolean isToWaitLong(Waiter waiter) {
		return waiter.deadline != Waiter.FOREVER && waiter.deadline - waiter.startedAt >= LONG_BUDGET_NANOS;
	}

	private Stream<Waiter> waiters() {
		return this.queues.all().stream().flatMap((queue) -> queue.waiting().stream());
	}

	@Override
	public long lost(LossReason reason) {
		return this.instance.counters.losses(reason).sum();
	}

	@Override
	public long endangered() {
		return this.instance.counters.endangered.sum();
	}

	@Override
	public long refusedCommits() {
		return this.instance.counters.refusedCommits.sum();
	}

	@Override
	public long leaked() {
		return this.instance.counters.leaked.sum();
	}

	@Override
	public long renewals() {
		return this.instance.counters.renewals.sum();
	}

	@Override
	public long failedRenewals() {
		return this.instance.counters.failedRenewals.sum();
	}

	@Override
	public long handOffs(AcquiredFrom from) {
		return this.instance.counters.handOffs(from).sum();
	}

	@Override
	public long storeErrors(LockStoreException.Kind kind) {
		return this.instance.counters.storeErrors(kind).sum();
	}

	@Override
	public long droppedEvents() {
		return this.events.dropped();
	}

	@Override
	public Map<String, Duration> sinceLastAnswer() {
		StoreMonitor monitor = this.instance.store.monitor();
		return (monitor != null) ? monitor.sinceLastAnswer() : Map.of();
	}

}

package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockLostException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.store.RenewCommand;
import org.jspecify.annotations.Nullable;

/**
 * When leases are renewed: first after a third of the ttl, then every sixth until the
 * validity ends. What is due together goes to the store in batches, many in flight at the
 * same time, but no more than it answers in time: when a pause has brought all leases in
 * step, what was sent at once would wait in the store until nobody wants the answers.
 */
final class Renewals {

	static final int BATCH_SIZE = 200;

	static final int MOST_IN_FLIGHT = 32;

	/** Renewals are due at multiples of this, or of a thirtieth of a short ttl. */
	private static final long GRID_NANOS = 100_000_000;

	private final Engine engine;

	/**
	 * What is due and not on its way yet, by patience, the shortest first: a short lease
	 * must not cost long ones their answer, nor wait for them. Only the thread that
	 * drives the loop comes here.
	 */
	private final TreeMap<Long, Set<Grant>> due = new TreeMap<>();

	private final AtomicInteger inFlight = new AtomicInteger();

	/** The loop sends what is due after each of its ticks, so this has nothing to do. */
	private final HeapTimer nextTick = new HeapTimer() {
		@Override
		void fire(long now) {
		}
	};

	Renewals(Engine engine) {
		this.engine = engine;
	}

	/** A lock was acquired. Called before anybody sees the lease. */
	void register(Grant grant, long sentAt) {
		grant.schedule(firstDue(grant, sentAt));
	}

	private long firstDue(Grant grant, long sentAt) {
		long validUntil = grant.validUntil();
		if (!grant.wantsRenewal(this.engine.now())) {
			return validUntil;
		}
		long grid = Math.min(GRID_NANOS, grant.ttlNanos() / 30);
		return Math.min((sentAt + grant.ttlNanos() / 3) / grid * grid, validUntil);
	}

	/** The timer of a held grant has fired. */
	void due(Grant grant, long now) {
		long validUntil = grant.validUntil();
		if (grant.wantsRenewal(now)) {
			this.due.computeIfAbsent(patience(grant.ttlNanos()), (ignored) -> new LinkedHashSet<>()).add(grant);
			grant.schedule(Math.min(now + grant.ttlNanos() / 6, validUntil));
		}
		else {
			grant.schedule(validUntil);
		}
	}

	/** Send what has come due, as far as the store keeps up. */
	void flush() {
		while (!this.due.isEmpty() && this.inFlight.get() < MOST_IN_FLIGHT) {
			Map.Entry<Long, Set<Grant>> first = this.due.firstEntry();
			List<Grant> grants = takeHeld(first.getValue());
			if (first.getValue().isEmpty()) {
				this.due.remove(first.getKey());
			}
			if (!grants.isEmpty()) {
				send(new DueBatch(grants, first.getKey()));
			}
		}
	}

	/** A lease may have ended while its renewal waited. */
	private List<Grant> takeHeld(Set<Grant> waiting) {
		long now = this.engine.now();
		List<Grant> taken = new ArrayList<>(Math.min(waiting.size(), BATCH_SIZE));
		for (Iterator<Grant> each = waiting.iterator(); each.hasNext() && taken.size() < BATCH_SIZE;) {
			Grant grant = each.next();
			each.remove();
			if (grant.isHeld(now)) {
				taken.add(grant);
			}
		}
		return taken;
	}

	private void send(DueBatch batch) {
		this.inFlight.incrementAndGet();
		try {
			batch.send();
		}
		catch (Throwable ex) {
			batch.landed();
			throw ex;
		}
	}

	private long patience(long ttlNanos) {
		return Math.min(this.engine.store().commandTimeout().toNanos(), ttlNanos / 6);
	}

	/**
	 * Renew a grant for a re-entrant holder who wants a longer lease, and then let it in.
	 */
	void lengthen(Grant grant, GrantLease lease, Waiter waiter) {
		new Batch(List.of(grant), patience(grant.ttlNanos())) {
			@Override
			void settled(Grant held, @Nullable LockStoreException failure) {
				if (failure == null && held.isHeld(Renewals.this.engine.now()) && waiter.settle(lease)) {
					return;
				}
				lease.drop();
				LockKeys keys = held.queue.keys();
				waiter.settle((failure != null) ? () -> Renewals.this.engine.storeFailure(failure)
						: () -> new LockLostException(keys.name(), keys.text(), held.lossReason(), false));
			}
		}.send();
	}

	/** One command to the store. Its timer is the time-out. */
	private class Batch extends HeapTimer {

		private final List<Grant> grants;

		private final long[] ttlNanos;

		private final long patience;

		private long sentAt;

		private @Nullable CompletableFuture<List<Boolean>> answer;

		Batch(List<Grant> grants, long patience) {
			this.grants = grants;
			this.patience = patience;
			this.ttlNanos = grants.stream().mapToLong(Grant::ttlNanos).toArray();
		}

		void send() {
			Engine engine = Renewals.this.engine;
			List<RenewCommand> commands = new ArrayList<>(this.grants.size());
			for (int i = 0; i < this.grants.size(); i++) {
				Grant grant = this.grants.get(i);
				Duration ttl = Duration.ofNanos(this.ttlNanos[i]);
				grant.queue.keys().list().forEach((key) -> commands.add(new RenewCommand(key, grant.request(), ttl)));
			}
			this.sentAt = engine.now();
			CompletableFuture<List<Boolean>> sent = engine.ask(() -> engine.store().renew(commands));
			this.answer = sent;
			if (!sent.isDone()) {
				engine.loop().schedule(this, this.sentAt + this.patience);
			}
			sent.whenComplete(this::answered);
			if (engine.isStopped()) {
				abort();
			}
		}

		@Override
		void fire(long now) {
			abort();
		}

		@Override
		void abort() {
			if (this.answer != null) {
				this.answer.cancel(true);
			}
		}

		private void answered(@Nullable List<Boolean> owners, @Nullable Throwable ex) {
			Engine engine = Renewals.this.engine;
			engine.loop().cancel(this);
			landed();
			int answer = 0;
			for (int i = 0; i < this.grants.size(); i++) {
				Grant grant = this.grants.get(i);
				int next = answer + grant.queue.keys().list().size();
				LockStoreException failure = null;
				if (owners == null) {
					failure = engine.renewalFailed(grant, ex);
				}
				else if (owners.subList(answer, next).contains(false)) {
					grant.lose(LossReason.NOT_OWNER);
				}
				else {
					renewed(grant, this.ttlNanos[i]);
				}
				answer = next;
				settled(grant, failure);
			}
		}

		private void renewed(Grant grant, long ttl) {
			if (grant.extend(Renewals.this.engine.now(), this.sentAt + ttl - Terms.drift(ttl))) {
				grant.schedule(firstDue(grant, this.sentAt));
			}
		}

		/** There is an answer, or will be none. */
		void landed() {
		}

		/** What became of one renewal. */
		void settled(Grant grant, @Nullable LockStoreException failure) {
		}

	}

	/** A batch that others may wait for. */
	private final class DueBatch extends Batch {

		private boolean landed;

		DueBatch(List<Grant> grants, long patience) {
			super(grants, patience);
		}

		@Override
		void landed() {
			synchronized (this) {
				if (this.landed) {
					return;
				}
				this.landed = true;
			}
			if (Renewals.this.inFlight.getAndDecrement() == MOST_IN_FLIGHT) {
				Renewals.this.engine.loop().schedule(Renewals.this.nextTick, 0);
			}
		}

	}

}

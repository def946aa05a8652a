package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockLostException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.store.RenewCommand;
import org.jspecify.annotations.Nullable;

/**
 * When leases are renewed: first after a third of the ttl, then every sixth until the
 * validity ends. What is due together goes to the store in batches, all in flight at the
 * same time.
 */
final class Renewals {

	static final int BATCH_SIZE = 200;

	/** Renewals are due at multiples of this, or of a thirtieth of a short ttl. */
	private static final long GRID_NANOS = 100_000_000;

	private final Engine engine;

	/** Collected while timers fire; only the thread that drives the loop comes here. */
	private List<Grant> due = new ArrayList<>();

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
			this.due.add(grant);
			grant.schedule(Math.min(now + grant.ttlNanos() / 6, validUntil));
		}
		else {
			grant.schedule(validUntil);
		}
	}

	/** Send what has come due. */
	void flush() {
		if (this.due.isEmpty()) {
			return;
		}
		List<Grant> grants = this.due;
		this.due = new ArrayList<>();
		byPatience(grants).forEach((patience, alike) -> {
			for (int from = 0; from < alike.size(); from += BATCH_SIZE) {
				new Batch(alike.subList(from, Math.min(from + BATCH_SIZE, alike.size())), patience).send();
			}
		});
	}

	/** A short lease must not cost long ones their answer. */
	private Map<Long, List<Grant>> byPatience(List<Grant> grants) {
		Map<Long, List<Grant>> alike = new LinkedHashMap<>(2);
		for (Grant grant : grants) {
			alike.computeIfAbsent(patience(grant.ttlNanos()), (ignored) -> new ArrayList<>()).add(grant);
		}
		return alike;
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

		/** What became of one renewal. */
		void settled(Grant grant, @Nullable LockStoreException failure) {
		}

	}

}

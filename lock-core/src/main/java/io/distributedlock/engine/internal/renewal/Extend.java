package io.distributedlock.engine.internal.renewal;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.Ownership;
import org.jspecify.annotations.Nullable;

/**
 * The command of a holder that sets its lease anew. Before it is sent, the holder relies
 * only on the shorter of the two leases, and renewals use the new ttl. Renewals that were
 * sent before have no effect after it, and their answers do not count any more. If the
 * store has yet to confirm marks, a renewal is sent first. Otherwise failures could push
 * the mark that the store keeps out of the known ones. Extends of one grant are sent one
 * after the other.
 */
public final class Extend {

	/** The most tries, if renewals go first or overtake the extend. */
	private static final int TRIES = 4;

	private final Renewals renewals;

	private final Grant grant;

	private final Duration ttl;

	private final @Nullable Duration keepFor;

	private final CompletableFuture<@Nullable LockStoreException> settled = new CompletableFuture<>();

	private int tries;

	public Extend(Renewals renewals, Grant grant, Duration ttl, @Nullable Duration keepFor) {
		this.renewals = renewals;
		this.grant = grant;
		this.ttl = ttl;
		this.keepFor = keepFor;
	}

	/**
	 * Send the extend when those before it are settled.
	 * @return completes with the failure of the store, or with {@code null} if the store
	 * has confirmed it or the lock is not held any more
	 */
	public CompletableFuture<@Nullable LockStoreException> start() {
		Supplier<CompletableFuture<?>> own = this::beginOrFail;
		if (this.grant.startsExtend(own)) {
			run(this.grant, own);
		}
		return this.settled;
	}

	/**
	 * Send an extend, and those behind it that settle at once, for example after a loss.
	 * A loop: any number of them needs no deep stack.
	 */
	private static void run(Grant grant, @Nullable Supplier<CompletableFuture<?>> first) {
		for (Supplier<CompletableFuture<?>> next = first; next != null; next = grant.nextExtend()) {
			CompletableFuture<?> sent = next.get();
			if (!sent.isDone()) {
				sent.whenComplete((ignored, ex) -> run(grant, grant.nextExtend()));
				return;
			}
		}
	}

	/** Begin. A failure must not keep the extends behind it waiting. */
	private CompletableFuture<?> beginOrFail() {
		try {
			begin();
		}
		catch (Throwable ex) {
			this.settled.complete(this.renewals.failure("extend", this.grant, ex));
		}
		return this.settled;
	}

	private void begin() {
		if (!this.grant.isHeld(this.grant.now())) {
			this.settled.complete(null);
		}
		else if (this.grant.isUnconfirmed() && ++this.tries < TRIES) {
			confirm(this::beginOrFail);
		}
		else {
			// The terms may have changed while it waited, as by an inner hold.
			this.grant.terms().requireUsable(this.ttl, this.keepFor);
			new Command().send();
		}
	}

	/** Have the store confirm the lock first; if it does not, this extend fails. */
	private void confirm(Runnable then) {
		new RenewalBatch(this.renewals, List.of(this.grant), this.grant.patience()) {
			@Override
			void settled(Grant confirmed, @Nullable LockStoreException failure) {
				if (failure != null) {
					Extend.this.settled.complete(failure);
				}
				else {
					then.run();
				}
			}
		}.send();
	}

	/** Settle with the new lease. A clock jump may have left it in doubt. */
	private void applied() {
		this.grant.extendConfirmed();
		if (this.grant.isInDoubt() && this.grant.validUntil() >= 0) {
			confirm(() -> this.settled.complete(null));
		}
		else {
			this.settled.complete(null);
		}
	}

	/** The command, and the handling of its answer. */
	private final class Command extends RenewalBatch {

		/** The terms before it, if it was sent. */
		private @Nullable LockTerms before;

		/** Set if the store has applied a later renewal first. */
		private boolean overtaken;

		Command() {
			super(Extend.this.renewals, List.of(Extend.this.grant), (grant) -> Extend.this.ttl.toNanos(),
					Math.min(Extend.this.grant.patience(), Extend.this.ttl.toNanos()));
		}

		@Override
		int answersFor(Grant grant) {
			return 1;
		}

		@Override
		List<CompletableFuture<Ownership>> ask() {
			Grant grant = Extend.this.grant;
			Grant.Extended begun = grant.markExtend(Extend.this.ttl, Extend.this.keepFor, sentAt());
			if (begun == null) {
				marked(0, grant.renewals());
				return List.of(CompletableFuture.completedFuture(Ownership.LOST));
			}
			marked(0, begun.history());
			this.before = begun.before();
			grant.planRenewal(sentAt());
			ExtendCommand command = new ExtendCommand(grant.keys(), grant.request(), Extend.this.ttl,
					Extend.this.keepFor, begun.history().marks());
			return List.of(grant.instance.send((store) -> store.extend(command)));
		}

		@Override
		boolean isLoss(int index, @Nullable Ownership answer) {
			boolean loss = super.isLoss(index, answer);
			this.overtaken = answer != null && answer != Ownership.HELD && !loss;
			return loss;
		}

		@Override
		String verb() {
			return "extend";
		}

		@Override
		void failed(Grant grant, LockStoreException failure, boolean refused) {
			Extend.this.renewals.instance().counters.failed(failure);
		}

		@Override
		void settled(Grant grant, @Nullable LockStoreException failure) {
			if (failure != null && this.before != null) {
				grant.extendFailed(this.before);
			}
			if (this.overtaken && ++Extend.this.tries < TRIES) {
				begin();
			}
			else if (failure == null && this.before != null && !this.overtaken) {
				applied();
			}
			else {
				Extend.this.settled.complete(failure);
			}
		}

	}

}

package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/** Ends grants and requests in the store, until it has confirmed that. */
final class Releases {

	/** The longest command time-out that a pending abandon may have to outlive. */
	private static final long ABANDON_MARGIN_NANOS = 5_000_000_000L;

	private final Instance instance;

	private final LockEvents events;

	Releases(Instance instance, LockEvents events) {
		this.instance = instance;
		this.events = events;
	}

	/**
	 * Release a lock. If nothing ran under it, it is not kept either.
	 * @return completes when the store has answered, or has not in time
	 */
	CompletableFuture<Void> release(Grant grant) {
		boolean held = grant.beginRelease(this.instance.now());
		if (!held && LostRequest.isOver(grant)) {
			return GrantLease.DONE;
		}
		if (held) {
			// The timer of a lease that was lost has yet to tell so.
			this.instance.loop.cancel(grant);
		}
		CompletableFuture<Void> ended = new Release(grant).start();
		return held ? ended : GrantLease.DONE;
	}

	private void released(Grant grant, @Nullable LockStoreException failure) {
		if (!grant.released()) {
			return;
		}
		grant.queue.ended(grant, failure == null);
		if (failure != null) {
			this.events.releaseFailed(grant, failure);
		}
		else {
			this.events.released(grant);
		}
	}

	/**
	 * End a request that may have been applied, or may still be.
	 * @param refused whether the store has refused each attempt, so that it keeps at most
	 * the waiter entry of the request
	 * @return completes when the store has answered, or has not in time
	 */
	CompletableFuture<Void> abandon(Grant grant, boolean refused) {
		Ending command = new Ending(grant, null, Duration.ZERO);
		if (refused) {
			command.endWhenRefused();
		}
		return command.start();
	}

	/**
	 * End a request that has a lock which its caller is not to get.
	 * @param successor the request that its caller goes on with
	 * @param waiting how long the successor has the place of the ended request, or zero
	 * if it has none
	 * @return completes when the store has answered, or has not in time
	 */
	CompletableFuture<Void> replace(Grant ended, Grant successor, Duration waiting) {
		return waiting.isZero() ? abandon(ended, false) : new Ending(ended, successor.request(), waiting).start();
	}

	/** The release of a lock. */
	private final class Release extends BackgroundCommand {

		Release(Grant grant) {
			super(grant, Releases.this.instance.quiescence.releases, grant.isUsed() ? "release" : "abandon",
					grant.now() + grant.ttlNanos());
		}

		@Override
		CompletableFuture<?> call() {
			LockStore store = Releases.this.instance.store;
			List<LockKey> keys = this.grant.keys();
			if (this.grant.isUsed()) {
				return store.release(new ReleaseCommand(keys, this.grant.request(), this.grant.marks()));
			}
			return store.abandon(new AbandonCommand(keys, this.grant.request()));
		}

		@Override
		void settled(@Nullable Object owner, @Nullable LockStoreException failure) {
			if (Boolean.FALSE.equals(owner)) {
				this.grant.lostAtRelease();
			}
			else {
				released(this.grant, failure);
			}
		}

	}

	/** The end of a request that may have been applied. */
	private final class Ending extends BackgroundCommand {

		private final AbandonCommand command;

		Ending(Grant grant, @Nullable RequestId successor, Duration waiting) {
			super(grant, Releases.this.instance.quiescence.abandons, "abandon", grant.now() + grant.ttlNanos()
					+ Releases.this.instance.commandTimeoutNanos() + ABANDON_MARGIN_NANOS);
			this.command = new AbandonCommand(grant.keys(), grant.request(), successor, waiting);
		}

		@Override
		CompletableFuture<?> call() {
			return Releases.this.instance.store.abandon(this.command);
		}

		@Override
		void settled(@Nullable Object value, @Nullable LockStoreException failure) {
			this.grant.queue.wakeUpOverlapping();
		}

	}

}

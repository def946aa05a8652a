package io.distributedlock.leader;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.Lease;
import io.distributedlock.LockOptions;
import io.distributedlock.text.DisplayText;
import org.jspecify.annotations.Nullable;

/**
 * The time in which an instance leads a role. It ends once, and does not come back: the
 * next one of the instance is another object, with a larger token. Thread-safe.
 *
 * @since 0.1.0
 */
public final class Leadership {

	/** The margin is this part of the lease if none is set. */
	private static final int PARTS_OF_LEASE = 5;

	/**
	 * Looks in the time of a lease: two for each renewal, so that the end that is known
	 * in a time of doubt is not much older than the doubt. A doubt may last as long as
	 * from one look to the next: a store that can be reached ends it in a round trip.
	 */
	private static final int LOOKS = 6;

	private final LeaderElection election;

	/** The lease of the engine; that of other code is a view of it. */
	private final Lease lease;

	private final LeaderLease view;

	private final long grantedAt;

	private final CompletableFuture<Void> released = new CompletableFuture<>();

	/** Set under the monitor of the election. */
	private volatile boolean ended;

	/**
	 * The length of the lease: that of its request, which the grant may bring late, or
	 * the longest rest that was seen, or that of an extend. Written under the monitor of
	 * this object.
	 */
	private volatile long longestNanos;

	/**
	 * The time at which the margin begins, by the last look that found the lease held.
	 * Until the first look it has begun.
	 */
	private volatile long marginAt;

	/** The time at which the lease was first seen in doubt, {@code null} if it is not. */
	private volatile @Nullable Long doubtSince;

	/** Number of extends under way that shorten the lease. Guarded by this object. */
	private int shortenings;

	/** Guarded by this object. */
	private List<Runnable> whenEnded = new ArrayList<>();

	Leadership(LeaderElection election, Lease lease, long leaseNanos, long grantedAt) {
		this.election = election;
		this.lease = lease;
		this.longestNanos = leaseNanos;
		this.grantedAt = grantedAt;
		this.marginAt = grantedAt;
		this.view = new LeaderLease(this, lease);
	}

	/**
	 * The role that is led.
	 * @return the role
	 */
	public String role() {
		return this.election.role();
	}

	/**
	 * The fencing token: larger than that of every leader of the role before.
	 * @return the token
	 * @see Lease#fencingToken()
	 */
	public long fencingToken() {
		return this.lease.fencingToken();
	}

	/**
	 * The lease on the lock of the role, which the election closes. Closing it elsewhere
	 * is {@link #stepDown()}: the lock is released after the listeners, and
	 * {@link Lease#close()} does not wait for that.
	 * @return the lease, renewed while the leadership lasts
	 */
	public Lease lease() {
		return this.view;
	}

	/**
	 * Return whether this instance certainly leads: more than the
	 * {@linkplain LeaderOptions#margin() margin} is left of its lease. Costs no round
	 * trip. If the margin has begun, the leadership ends by this call.
	 * @return {@code false} once it has ended, and while the lease is
	 * {@linkplain Lease#isHeld() in doubt}
	 */
	public boolean isHeld() {
		if (this.ended) {
			return false;
		}
		Duration remaining = this.lease.remaining();
		if (leftNanos(remaining) > 0) {
			return !remaining.isZero();
		}
		this.election.end(this, whyOver());
		return false;
	}

	/** Return why the margin has begun. */
	String whyOver() {
		return this.lease.isLost() ? LeaderElection.LOST : LeaderElection.NOT_RENEWED;
	}

	/**
	 * Look at the lease, and note when its margin begins. Ends nothing.
	 * @param now a time that was read just before
	 * @return the nanoseconds until the next look, at the latest when the margin begins;
	 * zero or less if it has begun
	 */
	long look(long now) {
		Duration remaining = this.lease.remaining();
		long left = leftNanos(remaining);
		if (!remaining.isZero()) {
			this.marginAt = now + left;
		}
		return Math.min(left, this.longestNanos / LOOKS);
	}

	/**
	 * Return the nanoseconds until the margin begins. Nothing seems to be left of a lease
	 * in doubt, which is not lost, and may go on: then the last look counts, for a while.
	 */
	private long leftNanos(Duration remaining) {
		if (remaining.isZero()) {
			return this.lease.isLost() ? 0 : leftNanosInDoubt();
		}
		this.doubtSince = null;
		long left = remaining.toNanos();
		if (left > this.longestNanos) {
			lengthen();
		}
		long longest = this.longestNanos;
		Duration margin = this.election.options().margin();
		return left - ((margin != null) ? Math.min(margin.toNanos(), longest / 2) : longest / PARTS_OF_LEASE);
	}

	/**
	 * The machine may have stood still for longer than the lease, so that another
	 * instance leads. Work that only a listener can stop must not go on for long.
	 */
	private long leftNanosInDoubt() {
		long now = this.election.now();
		Long noted = this.doubtSince;
		long since = (noted != null) ? noted : now;
		this.doubtSince = since;
		return Math.min(this.marginAt - now, since + this.longestNanos / LOOKS - now);
	}

	/**
	 * The time since the grant.
	 * @return the time, which goes on after the end
	 */
	public Duration age() {
		return Duration.ofNanos(this.election.now() - this.grantedAt);
	}

	/**
	 * End this leadership and let other instances lead. Its listeners are called, then
	 * the lock is released; this does not wait for them. For two seconds this instance is
	 * no candidate, then it waits in line again.
	 * @return {@code false} if it had ended already
	 */
	public boolean stepDown() {
		return this.election.stepDown(this);
	}

	/**
	 * Register an action for the end. It runs once, on a thread that may block, also
	 * while {@link LeaderListener#granted} still runs; at once if the leadership has
	 * ended already.
	 * @param action the action; an exception is logged
	 */
	public void onEnd(Runnable action) {
		synchronized (this) {
			if (!this.ended) {
				this.whenEnded.add(action);
				return;
			}
		}
		this.election.execute(action);
	}

	/** Note the end. Called under the monitor of the election, once. */
	synchronized void end() {
		this.ended = true;
	}

	/** Return whether the end was noted. */
	boolean isEnded() {
		return this.ended;
	}

	/** Note the length of a lease, unless it is the rest of one that becomes shorter. */
	private synchronized void lengthen() {
		if (this.shortenings == 0) {
			this.longestNanos = Math.max(this.longestNanos, this.lease.remaining().toNanos());
		}
	}

	/**
	 * Note that an extend is to be sent. A shorter lease counts from now on, since it may
	 * be set before the answer is seen; a longer one when its rest is seen.
	 * @return to be run after the answer
	 */
	synchronized Runnable extending(@Nullable Duration ttl) {
		if (ttl == null || ttl.compareTo(LockOptions.MIN_TTL) < 0
				|| ttl.compareTo(Duration.ofNanos(this.longestNanos)) >= 0) {
			return this::check;
		}
		this.longestNanos = ttl.toNanos();
		this.shortenings++;
		return () -> {
			synchronized (this) {
				this.shortenings--;
			}
			check();
		};
	}

	/** Look at the lease now, since its end was moved. */
	void check() {
		this.election.check(this);
	}

	/** Release the lock, of which the leadership has ended. */
	CompletionStage<Void> releaseLock() {
		return this.lease.release();
	}

	/** Completes when the lock is released. */
	CompletableFuture<Void> released() {
		return this.released;
	}

	/**
	 * Completes after the release, on a thread that may block: the thread that brings the
	 * answer may be that of the timers.
	 */
	CompletionStage<Void> afterRelease() {
		return this.released.thenRunAsync(() -> {
		}, this.election::execute);
	}

	/** Run the actions for the end. Called once, after it was noted. */
	void tellEnd() {
		List<Runnable> told;
		synchronized (this) {
			told = this.whenEnded;
			this.whenEnded = List.of();
		}
		told.forEach(this.election::execute);
	}

	@Override
	public String toString() {
		return "Leadership[" + DisplayText.value(role()) + ", token=" + fencingToken() + "]";
	}

}

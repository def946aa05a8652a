package io.distributedlock.engine.internal.line;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.distributedlock.LeaseHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.instance.Failure;
import io.distributedlock.engine.internal.instance.GrowingCallbacks;
import io.distributedlock.engine.internal.instance.Instance;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.renewal.Extend;
import io.distributedlock.store.CallerThread;
import io.distributedlock.store.CommitCheck;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCapability;
import org.jspecify.annotations.Nullable;

/**
 * The lease that a holder has for its {@link Hold}. The engine has no reference to it, so
 * that it is collected when its holder forgets it. A method that closes it keeps it
 * reachable until its end, because the collector may come earlier.
 */
public final class GrantLease implements GrantedLease {

	public final Hold hold;

	public GrantLease(Hold hold) {
		this.hold = hold;
	}

	private KeyQueue queue() {
		return KeyQueue.of(this.hold.grant);
	}

	private Instance instance() {
		return this.hold.grant.instance;
	}

	@Override
	public String name() {
		return this.hold.keys().get(0).name();
	}

	@Override
	public List<String> keys() {
		return this.hold.keys().stream().map(LockKey::key).toList();
	}

	@Override
	public long fencingToken() {
		return this.hold.grant.token();
	}

	@Override
	public long fencingToken(String key) {
		if (!keys().contains(key)) {
			throw new IllegalArgumentException("'%s' is not part of the lease of %s".formatted(key, keys()));
		}
		return fencingToken();
	}

	@Override
	public boolean isHeld() {
		return this.hold.isHeld();
	}

	@Override
	public boolean isLost() {
		return this.hold.isLost();
	}

	@Override
	public Duration remaining() {
		Grant grant = this.hold.grant;
		return this.hold.isOpen() ? Duration.ofNanos(grant.remainingNanos(grant.now())) : Duration.ZERO;
	}

	@Override
	public void checkHeld() {
		if (isHeldNoMore()) {
			throw this.hold.grant.loss(false);
		}
	}

	private boolean isHeldNoMore() {
		requireOpen();
		return !isHeld() && !isConfirmedByTheStore();
	}

	/** Ask the store after a clock jump, unless the lease is lost in any case. */
	private boolean isConfirmedByTheStore() {
		if (!isLost()) {
			requireOtherThread("confirm");
			queue().index.renewals.confirm(List.of(this.hold.grant)).join();
		}
		return isHeld();
	}

	@Override
	public List<GrantLease> parts() {
		return List.of(this);
	}

	/**
	 * Check leases of one instance before the commit of a transaction. The lease comes
	 * first: a grant that was handed on within the instance has the request of its
	 * holders before, so the store alone cannot tell them apart.
	 */
	static void checkCommit(Collection<GrantLease> leases) {
		Instance instance = leases.iterator().next().instance();
		try {
			leases.forEach(GrantLease::requireHeldBeforeCommit);
			CommitCheck check = instance.offer.commitCheck;
			if (check != null) {
				checkOwners(check, leases);
			}
		}
		catch (RuntimeException ex) {
			instance.counters.refusedCommits.increment();
			throw ex;
		}
	}

	private void requireHeldBeforeCommit() {
		if (isHeldNoMore()) {
			throw this.hold.grant.lossBeforeCommit();
		}
	}

	private static void checkOwners(CommitCheck check, Collection<GrantLease> leases) {
		for (Map<LockKey, RequestId> owners : owners(leases)) {
			RuntimeException refusal = check.refusal(owners);
			if (refusal != null) {
				throw lossOr(refusal, leases);
			}
		}
	}

	/** Return one map, or more if several requests share a lock, as two permits do. */
	private static List<Map<LockKey, RequestId>> owners(Collection<GrantLease> leases) {
		List<Map<LockKey, RequestId>> all = new ArrayList<>();
		for (GrantLease lease : leases) {
			lease.hold.keys().forEach((key) -> add(all, key, lease.hold.grant.request()));
		}
		return all;
	}

	private static void add(List<Map<LockKey, RequestId>> all, LockKey key, RequestId request) {
		for (Map<LockKey, RequestId> owners : all) {
			RequestId other = owners.putIfAbsent(key, request);
			if (other == null || other.equals(request)) {
				return;
			}
		}
		all.add(new HashMap<>(Map.of(key, request)));
	}

	boolean isBeside(GrantLease other) {
		return instance() == other.instance();
	}

	/** Ask the store after a refusal, and return the loss if that is the reason. */
	private static RuntimeException lossOr(RuntimeException refusal, Collection<GrantLease> leases) {
		GrantLease first = leases.iterator().next();
		first.requireOtherThread("confirm");
		List<Grant> grants = leases.stream().map((lease) -> lease.hold.grant).distinct().toList();
		first.queue().index.renewals.confirm(grants).join();
		for (Grant grant : grants) {
			if (!grant.isHeld(grant.now())) {
				return grant.lossBeforeCommit();
			}
		}
		return refusal;
	}

	@Override
	public void extend(Duration ttl, @Nullable Duration keepFor) {
		requireExtendable(ttl, keepFor);
		requireOtherThread("extend");
		Instance instance = instance();
		CompletableFuture<@Nullable LockStoreException> extended = instance.lendsThreads
				? CallerThread.lend(instance.commandTimeoutNanos(), () -> startExtend(ttl, keepFor))
				: startExtend(ttl, keepFor);
		RuntimeException failure = extendFailure(extended.join());
		if (failure != null) {
			throw failure;
		}
	}

	@Override
	public CompletionStage<Void> extendAsync(Duration ttl, @Nullable Duration keepFor) {
		requireExtendable(ttl, keepFor);
		CompletableFuture<@Nullable LockStoreException> extended = startExtend(ttl, keepFor);
		return afterExtend(extended, () -> extendFailure(extended.join()));
	}

	/** Return the answer to an extend, for user code. */
	public CompletableFuture<Void> afterExtend(CompletableFuture<?> extended,
			Supplier<@Nullable RuntimeException> last) {
		return GrowingCallbacks.after(extended, instance().executors.endings(), last);
	}

	/** Refuse terms that no store could apply, and a closed lease. */
	public void requireExtendable(Duration ttl, @Nullable Duration keepFor) {
		Objects.requireNonNull(ttl, "The ttl must not be null");
		this.hold.grant.terms().requireUsable(ttl, keepFor);
		requireOpen();
	}

	public CompletableFuture<@Nullable LockStoreException> startExtend(Duration ttl, @Nullable Duration keepFor) {
		return new Extend(queue().index.renewals, this.hold.grant, ttl, keepFor).start();
	}

	/** Refuse to wait for an answer that comes on the calling thread. */
	public void requireOtherThread(String what) {
		if (instance().isAnsweredHere()) {
			throw Failure.answeredHere(what, this.hold.keys());
		}
	}

	/** Return the failure of an extend, if any, with the stack trace of the caller. */
	public @Nullable RuntimeException extendFailure(@Nullable LockStoreException failure) {
		if (failure != null) {
			return Failure.ofStore(failure);
		}
		if (isHeld()) {
			return null;
		}
		return this.hold.isOpen() ? this.hold.grant.loss(false) : closedFailure();
	}

	@Override
	public LeaseHandle handle() {
		requireOpen();
		Grant grant = this.hold.grant;
		instance().offer.require(StoreCapability.HANDLES, this.hold.keys(), "give out a handle of",
				"release it in the process that holds it, or use another store");
		if (!queue().keepsRequest(grant)) {
			throw grant.loss(false);
		}
		return new LeaseHandle(name(),
				List.of(new LeaseHandle.Part(grant.request().toString(), keys(), fencingToken())));
	}

	private void requireOpen() {
		if (!this.hold.isOpen()) {
			throw closedFailure();
		}
	}

	private IllegalStateException closedFailure() {
		return new IllegalStateException("The lease of lock '" + LockKeys.describe(this.hold.keys()) + "' is closed");
	}

	@Override
	public void onLost(Runnable action) {
		this.hold.onLost(action);
	}

	@Override
	public void onEndangered(Consumer<? super LockStoreException> action) {
		this.hold.onEndangered(action);
	}

	@Override
	public void detach() {
		if (this.hold.disown()) {
			queue().disownUnlessOwned(this.hold.grant);
		}
	}

	@Override
	public void ownersChanged() {
		queue().index.ownersChanged.accept(this.hold.grant.keys());
	}

	@Override
	public void close() {
		try {
			await(end());
		}
		finally {
			Reference.reachabilityFence(this);
		}
	}

	/**
	 * End the hold, under which code has run; the command may be sent on this thread.
	 * @return completes when the lock is released, or {@code null} if this was closed
	 */
	private @Nullable CompletableFuture<Void> end() {
		Instance instance = instance();
		return instance.lendsThreads ? CallerThread.lend(instance.commandTimeoutNanos(), () -> end(true)) : end(true);
	}

	public @Nullable CompletableFuture<Void> end(boolean used) {
		return queue().end(this.hold, used);
	}

	/** Close the lease as if the lock had never been acquired: no code ran under it. */
	public CompletableFuture<Void> drop() {
		return KeyQueue.drop(this.hold);
	}

	/**
	 * Wait for the release, and throw the exceptions of {@link #close()}. A thread on
	 * which answers come goes on at once: a refusal would leave the lock held.
	 */
	public void await(@Nullable CompletableFuture<Void> released) {
		if (released != null && !released.isDone() && instance().isAnsweredHere()) {
			this.hold.tellEndAfter(released);
		}
		else if (released != null) {
			try {
				released.join();
			}
			finally {
				this.hold.tellEnd();
			}
			LockLostException loss = this.hold.loss();
			if (loss != null) {
				throw loss;
			}
		}
	}

	@Override
	public CompletionStage<Void> release() {
		return settled(true);
	}

	@Override
	public CompletionStage<Void> discard() {
		return settled(false);
	}

	private CompletableFuture<Void> settled(boolean used) {
		try {
			Hold ended = this.hold;
			return GrowingCallbacks.after(end(used), instance().executors.endings(), () -> {
				ended.tellEnd();
				return used ? ended.loss() : null;
			});
		}
		finally {
			Reference.reachabilityFence(this);
		}
	}

	@Override
	public String toString() {
		return "Lease[" + LockKeys.describe(this.hold.keys()) + ", token=" + fencingToken() + "]";
	}

}

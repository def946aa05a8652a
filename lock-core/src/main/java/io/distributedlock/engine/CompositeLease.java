package io.distributedlock.engine;

import java.lang.ref.Reference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Function;

import io.distributedlock.Lease;
import io.distributedlock.LeaseHandle;
import io.distributedlock.LockLostException;
import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.lease.Hold;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.GrantedLease;
import org.jspecify.annotations.Nullable;

/**
 * A lease of several keys, held all or none: one lease for each key. It is lost as soon
 * as one of them is lost. There is no token common to all.
 */
final class CompositeLease implements GrantedLease {

	private final List<GrantLease> leases;

	CompositeLease(List<GrantLease> leases) {
		this.leases = List.copyOf(leases);
	}

	List<Hold> holds() {
		return this.leases.stream().map((lease) -> lease.hold).toList();
	}

	@Override
	public String name() {
		return this.leases.get(0).name();
	}

	@Override
	public List<String> keys() {
		return this.leases.stream().map(Lease::key).toList();
	}

	@Override
	public long fencingToken(String key) {
		return this.leases.stream()
			.filter((lease) -> lease.key().equals(key))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("'%s' is not part of %s".formatted(key, this)))
			.fencingToken();
	}

	@Override
	public boolean isHeld() {
		return this.leases.stream().allMatch(Lease::isHeld);
	}

	@Override
	public boolean isLost() {
		return this.leases.stream().anyMatch(Lease::isLost);
	}

	@Override
	public Duration remaining() {
		return this.leases.stream().map(Lease::remaining).min(Comparator.naturalOrder()).orElse(Duration.ZERO);
	}

	@Override
	public void checkHeld() {
		this.leases.forEach(Lease::checkHeld);
	}

	@Override
	public List<GrantLease> parts() {
		return this.leases;
	}

	@Override
	public void extend(Duration ttl, @Nullable Duration keepFor) {
		this.leases.get(0).requireOtherThread("extend");
		RuntimeException failure = extendFailure(extendAll(ttl, keepFor));
		if (failure != null) {
			throw failure;
		}
	}

	@Override
	public CompletionStage<Void> extendAsync(Duration ttl, @Nullable Duration keepFor) {
		List<CompletableFuture<@Nullable LockStoreException>> extended = extendAll(ttl, keepFor);
		return this.leases.get(0)
			.afterExtend(CompletableFuture.allOf(extended.toArray(CompletableFuture<?>[]::new)),
					() -> extendFailure(extended));
	}

	/** Send all extends before waiting for one. */
	private List<CompletableFuture<@Nullable LockStoreException>> extendAll(Duration ttl, @Nullable Duration keepFor) {
		this.leases.forEach((lease) -> lease.requireExtendable(ttl, keepFor));
		return this.leases.stream().map((lease) -> lease.startExtend(ttl, keepFor)).toList();
	}

	private @Nullable RuntimeException extendFailure(List<CompletableFuture<@Nullable LockStoreException>> extended) {
		RuntimeException first = null;
		for (int i = 0; i < extended.size(); i++) {
			GrantLease lease = this.leases.get(i);
			first = merged(first, lease.extendFailure(extended.get(i).join()));
		}
		return first;
	}

	/** Merge two failures. A loss outweighs an unknown outcome. */
	private static @Nullable RuntimeException merged(@Nullable RuntimeException one, @Nullable RuntimeException other) {
		if (one == null || other == null) {
			return (one != null) ? one : other;
		}
		RuntimeException first = (other instanceof LockLostException) ? other : one;
		first.addSuppressed((first == one) ? other : one);
		return first;
	}

	@Override
	public LeaseHandle handle() {
		return new LeaseHandle(name(),
				this.leases.stream().flatMap((lease) -> lease.handle().parts().stream()).toList());
	}

	@Override
	public void onLost(Runnable action) {
		AtomicBoolean told = new AtomicBoolean();
		this.leases.forEach((lease) -> lease.onLost(() -> {
			if (told.compareAndSet(false, true)) {
				action.run();
			}
		}));
	}

	@Override
	public void onEndangered(Consumer<? super LockStoreException> action) {
		this.leases.forEach((lease) -> lease.onEndangered(action));
	}

	@Override
	public void detach() {
		this.leases.forEach(GrantLease::detach);
	}

	@Override
	public void ownersChanged() {
		this.leases.forEach(GrantLease::ownersChanged);
	}

	@Override
	public CompletionStage<Void> release() {
		return endAll(GrantLease::release);
	}

	@Override
	public CompletionStage<Void> discard() {
		return endAll(GrantLease::discard);
	}

	private CompletionStage<Void> endAll(Function<GrantLease, CompletionStage<Void>> end) {
		CompletableFuture<?>[] all = reversed(this.leases).stream()
			.map((lease) -> end.apply(lease).toCompletableFuture())
			.toArray(CompletableFuture<?>[]::new);
		Reference.reachabilityFence(this);
		CompletableFuture<Void> result = new CompletableFuture<>();
		CompletableFuture.allOf(all).whenComplete((ignored, ex) -> {
			Throwable cause = (ex != null && ex.getCause() != null) ? ex.getCause() : ex;
			if (cause != null) {
				result.completeExceptionally(cause);
			}
			else {
				result.complete(null);
			}
		});
		return result;
	}

	@Override
	public void close() {
		RuntimeException failure;
		try {
			failure = closeAll(this.leases);
		}
		finally {
			Reference.reachabilityFence(this);
		}
		if (failure != null) {
			throw failure;
		}
	}

	/** Release all leases before waiting for one. */
	private static @Nullable RuntimeException closeAll(List<GrantLease> leases) {
		RuntimeException first = null;
		List<GrantLease> inOrder = reversed(leases);
		List<@Nullable CompletableFuture<Void>> ends = new ArrayList<>(leases.size());
		inOrder.forEach((lease) -> ends.add(lease.end(true)));
		for (int i = 0; i < ends.size(); i++) {
			try {
				inOrder.get(i).await(ends.get(i));
			}
			catch (RuntimeException ex) {
				if (first == null) {
					first = ex;
				}
				else {
					first.addSuppressed(ex);
				}
			}
		}
		return first;
	}

	static <T> List<T> reversed(List<T> leases) {
		List<T> copy = new ArrayList<>(leases);
		Collections.reverse(copy);
		return copy;
	}

	@Override
	public String toString() {
		return this.leases.toString();
	}

}

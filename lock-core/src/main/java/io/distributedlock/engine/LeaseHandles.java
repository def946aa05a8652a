package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.distributedlock.LeaseHandle;
import io.distributedlock.LockOptions;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCapability;

/** Extends and releases the leases of other processes by their handles. */
final class LeaseHandles {

	private final Engine engine;

	private final StoreAnswers answers;

	LeaseHandles(Engine engine) {
		this.engine = engine;
		this.answers = new StoreAnswers(engine);
	}

	boolean extend(LeaseHandle handle, Duration ttl) {
		LockOptions.NONE.withTtl(ttl);
		Ownership all = Ownership.HELD;
		for (LeaseHandle.Part part : handle.parts()) {
			RequestId request = RequestId.parse(part.request());
			List<LockKey> keys = keys(handle, part, "extend");
			List<RenewCommand> renewals = keys.stream()
				.map((key) -> new RenewCommand(key, request, ttl, RenewalMarks.ANY))
				.toList();
			all = all.and(this.answers.await("extend", keys, () -> all(store().renew(renewals))));
		}
		return all == Ownership.HELD;
	}

	private static CompletableFuture<Ownership> all(List<CompletableFuture<Ownership>> answers) {
		return answers.stream().reduce((one, other) -> one.thenCombine(other, Ownership::and)).orElseThrow();
	}

	boolean release(LeaseHandle handle) {
		Ownership all = Ownership.HELD;
		for (LeaseHandle.Part part : handle.parts()) {
			RequestId request = RequestId.parse(part.request());
			List<LockKey> keys = keys(handle, part, "release");
			Function<List<LockKey>, CompletableFuture<Ownership>> release = (some) -> store()
				.release(new ReleaseCommand(some, request, RenewalMarks.ANY));
			boolean divided = this.engine.instance.offer.divides(keys);
			all = all.and(this.answers.awaitEnd("release", keys, part.request(), () -> divided
					? all(keys.stream().map((key) -> release.apply(List.of(key))).toList()) : release.apply(keys)));
		}
		return all == Ownership.HELD;
	}

	private List<LockKey> keys(LeaseHandle handle, LeaseHandle.Part part, String what) {
		List<LockKey> keys = part.keys().stream().map((key) -> LockKeys.of(handle.name(), key)).toList();
		this.engine.instance.offer.require(StoreCapability.HANDLES, keys, what + " by its handle",
				"do that in the process that holds it, or use another store");
		return keys;
	}

	private LockStore store() {
		return this.engine.instance.store;
	}

}

package io.distributedlock.weaving;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.WhenBusy;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.FencingToken;
import io.distributedlock.memory.MemoryLocks;
import reactor.core.publisher.Mono;

/** Has no proxy, and need not be a bean: the guard of its methods is in its code. */
class Stock {

	private final String item;

	Stock(String item) {
		this.item = item;
	}

	String item() {
		return this.item;
	}

	boolean isLockedByCallOfItsOwn() {
		return this.isLocked(this.item);
	}

	@DistributedLock(key = "#item", name = "stock")
	boolean isLocked(String item) {
		return Lease.current().isPresent();
	}

	boolean isLockedInPrivate() {
		return lockedPrivately();
	}

	@DistributedLock(key = "#root.target.item", name = "stock")
	private boolean lockedPrivately() {
		return Lease.current().map((lease) -> lease.key().equals(this.item)).orElse(false);
	}

	public String getItem() {
		return this.item;
	}

	@DistributedLock(key = "#root.target.item", name = "stock", waitFor = "0")
	void takeOrFail() {
	}

	@DistributedLock(key = "#root.target.item", name = "stock", waitFor = "0", whenBusy = WhenBusy.SKIP)
	Optional<String> takeOrSkip() {
		return Optional.of(this.item);
	}

	@DistributedLock(key = "#root.target.item", name = "stock", waitFor = "0", fallback = "none")
	int takeOrNone(int count) {
		return count;
	}

	private int none(int count) {
		return -count;
	}

	@DistributedLock(key = "#root.target.item", name = "stock")
	CompletableFuture<String> takeLater(CompletableFuture<String> done) {
		return done;
	}

	@DistributedLock(key = "#root.target.item", name = "stock")
	void fail() {
		throw new IllegalStateException("body");
	}

	@DistributedLock(key = "'outer'", name = "stock")
	@DistributedLock(key = "#root.target.item", name = "stock")
	boolean isLockedTwice(MemoryLocks locks) {
		return locks.isLocked("stock", "outer") && locks.isLocked("stock", this.item);
	}

	@DistributedLock(key = "#root.target.item", name = "stock")
	boolean isFenced(@FencingToken long token) {
		return token == Lease.current().orElseThrow().fencingToken();
	}

	@DistributedLock(key = "#root.target.item", name = "stock")
	Mono<Long> tokenOfEachSubscription(@FencingToken long token) {
		return Mono.just(token);
	}

	@DistributedLock("")
	void invalid() {
	}

}

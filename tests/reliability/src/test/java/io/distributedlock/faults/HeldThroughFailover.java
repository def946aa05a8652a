package io.distributedlock.faults;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Two locks of one instance, for each of which another instance waits: one whose lease is
 * longer than a fail-over takes, and one that is shorter.
 */
final class HeldThroughFailover {

	private static final Duration LONG = Duration.ofSeconds(24);

	/** Over before a replica can be promoted. */
	private static final Duration SHORT = Duration.ofSeconds(1);

	private final TopologyInstances instances;

	private final String longKey;

	private final String shortKey;

	private final Lease longLease;

	private final Lease shortLease;

	private final CompletableFuture<Lease> afterLong;

	private final CompletableFuture<Lease> afterShort;

	HeldThroughFailover(TopologyInstances instances, Driver driver, String prefix) {
		this.instances = instances;
		this.longKey = prefix + driver + "-long";
		this.shortKey = prefix + driver + "-short";
		DefaultLockRegistry here = instances.instance(driver);
		DefaultLockRegistry there = instances.instance(driver);
		this.longLease = here.acquire(LockRequest.of(this.longKey).ttl(LONG));
		this.shortLease = here.acquire(LockRequest.of(this.shortKey).ttl(SHORT));
		this.afterLong = there.acquireAsync(LockRequest.of(this.longKey).ttl(LONG).waitFor(Duration.ofSeconds(90)))
			.toCompletableFuture();
		this.afterShort = there.acquireAsync(LockRequest.of(this.shortKey).ttl(LONG).waitFor(Duration.ofSeconds(90)))
			.toCompletableFuture();
	}

	/** Its holder was told before another one got it, with a larger token. */
	void assertShortLeaseIsToldLostAndPassedOn() {
		this.afterShort.thenRun(() -> {
			if (this.shortLease.isHeld()) {
				throw new AssertionError("Two believe to hold " + this.shortKey);
			}
		}).orTimeout(60, TimeUnit.SECONDS).join();
		assertThat(this.afterShort.join().fencingToken()).isGreaterThan(this.shortLease.fencingToken());
		await().until(() -> this.instances.isLost(this.shortKey));
	}

	/** It is renewed where it is now, and passed on when it is released. */
	void assertLongLeaseIsKept() {
		Renewal.awaitNext(this.longLease);
		assertThat(this.afterLong).isNotDone();
		this.longLease.close();
		assertThat(this.afterLong.join().fencingToken()).isGreaterThan(this.longLease.fencingToken());
		assertThat(this.instances.isLost(this.longKey)).isFalse();
	}

}

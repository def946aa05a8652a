package io.distributedlock.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockMode;
import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import io.distributedlock.store.RenewCommand;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.WakeUpListener;

/**
 * Nodes in memory and instances of an application that lock on them, all on one thread
 * and one clock.
 */
final class VirtualQuorum {

	static final Duration TTL = Duration.ofSeconds(10);

	static final Duration WAITING = Duration.ofSeconds(3);

	static final LockKey KEY = new LockKey("quorum", "key");

	final ManualTimer timer = new ManualTimer();

	final List<VirtualNode> nodes = new ArrayList<>();

	private long instances;

	VirtualQuorum(int size) {
		for (int i = 0; i < size; i++) {
			this.nodes.add(new VirtualNode("node" + i, this.timer));
		}
	}

	VirtualNode node(int index) {
		return this.nodes.get(index);
	}

	Instance instance() {
		return new Instance(++this.instances);
	}

	long lockedNodes() {
		return this.nodes.stream().filter((node) -> node.isLocked(KEY)).count();
	}

	void forgetWhatWasAsked() {
		this.nodes.forEach((node) -> node.asked.clear());
	}

	/** An instance of an application. */
	final class Instance implements WakeUpListener {

		private final long bits;

		private long sequence;

		final RedlockLockStore store;

		final List<String> wakeUps = new ArrayList<>();

		Instance(long bits) {
			this.bits = bits;
			this.store = new RedlockLockStore(VirtualQuorum.this.nodes.stream().map(VirtualNode::connect).toList(),
					RedlockSettings.DEFAULTS, VirtualQuorum.this.timer, (bound) -> bound / 2);
			this.store.start(name(), this);
		}

		String name() {
			return new RequestId(this.bits, 0).instance();
		}

		RequestId request() {
			return RequestId.of(this.bits, (int) ++this.sequence & RequestId.LAST_PLACE, this.sequence, 0);
		}

		CompletableFuture<AcquireOutcome> acquire(RequestId request) {
			return acquire(request, LockMode.EXCLUSIVE, 0, Duration.ZERO);
		}

		CompletableFuture<AcquireOutcome> waitFor(RequestId request) {
			return acquire(request, LockMode.EXCLUSIVE, 0, WAITING);
		}

		CompletableFuture<AcquireOutcome> acquire(RequestId request, LockMode mode, int permits, Duration waiting) {
			return this.store.acquire(new AcquireCommand(List.of(KEY), request, mode, permits, null, TTL, Duration.ZERO,
					waiting, 0, false));
		}

		CompletableFuture<Ownership> renew(RequestId request) {
			return this.store.renew(List.of(new RenewCommand(KEY, request, TTL))).get(0);
		}

		CompletableFuture<Ownership> renew(RequestId request, Duration ttl, RenewalMarks marks) {
			return this.store.renew(List.of(new RenewCommand(KEY, request, ttl, marks))).get(0);
		}

		CompletableFuture<Ownership> extend(RequestId request, Duration ttl, Duration keepFor, RenewalMarks marks) {
			return this.store.extend(new ExtendCommand(List.of(KEY), request, ttl, keepFor, marks));
		}

		CompletableFuture<Ownership> release(RequestId request) {
			return this.store.release(new ReleaseCommand(KEY, request));
		}

		CompletableFuture<Void> abandon(RequestId request) {
			return this.store.abandon(new AbandonCommand(KEY, request));
		}

		@Override
		public void wakeUp(String encodedKey) {
			this.wakeUps.add(encodedKey);
		}

		@Override
		public void wakeUpAll() {
			this.wakeUps.add("all");
		}

	}

}

package io.distributedlock.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicIntegerArray;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.memory.MemoryLockStore;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * Owners who try to take two keys, one alone or both together, and enter their locks
 * again. An attempt may or may not fail because of another one that is under way; no two
 * owners may be inside together, and in the end nothing may be left.
 */
public class ExclusionOperations {

	private static final int OWNERS = 8;

	private static final List<LockRequest> TRIES = List.of(LockRequest.of("a").waitFor(Duration.ZERO),
			LockRequest.of("b").waitFor(Duration.ZERO), LockRequest.ofAll("a", "b").waitFor(Duration.ZERO));

	private final LoneInstance instance = new LoneInstance(new MemoryLockStore());

	private final AtomicIntegerArray insiders = new AtomicIntegerArray(2 * OWNERS);

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private final Deque<Lease>[] held = new Deque[OWNERS];

	public ExclusionOperations() {
		for (int owner = 0; owner < OWNERS; owner++) {
			this.held[owner] = new ArrayDeque<>();
		}
	}

	@Operation
	public void tryToTake(@Param(gen = IntGen.class, conf = "0:2") int keys,
			@Param(gen = ThreadIdGen.class) int owner) {
		CompletableFuture<Lease> answer = ask(TRIES.get(keys).ownedBy(owner(owner)));
		if (answer.isDone() && !answer.isCompletedExceptionally()) {
			this.held[owner].push(answer.join());
			enter(answer.join(), owner);
		}
	}

	Object owner(int number) {
		return "owner " + number;
	}

	private CompletableFuture<Lease> ask(LockRequest request) {
		long now = this.instance.now();
		Acquisition keys = new Acquisition(this.instance.engine, request, LoneInstance.terms(request), now, now);
		return new AsyncAcquisition(this.instance.engine, keys, request).start();
	}

	private void enter(Lease lease, int owner) {
		for (String key : lease.keys()) {
			this.insiders.incrementAndGet(place(key, owner));
			for (int other = 0; other < OWNERS; other++) {
				if (other != owner && this.insiders.get(place(key, other)) > 0) {
					throw new IllegalStateException("%s and %s have key %s".formatted(owner, other, key));
				}
			}
		}
	}

	private static int place(String key, int owner) {
		return 2 * owner + (key.equals("a") ? 0 : 1);
	}

	@Operation
	public void release(@Param(gen = ThreadIdGen.class) int owner) {
		Lease lease = this.held[owner].poll();
		if (lease != null) {
			lease.keys().forEach((key) -> this.insiders.decrementAndGet(place(key, owner)));
			lease.close();
		}
	}

	@Operation
	public void wakeUp() {
		this.instance.engine.wakeUpAll();
	}

	@Validate
	public void leaveNothingBehind() {
		for (int owner = 0; owner < OWNERS; owner++) {
			while (!this.held[owner].isEmpty()) {
				release(owner);
			}
		}
		Engine engine = this.instance.engine;
		if (engine.queues.index.size() + engine.instance.heldCount() + engine.instance.backgroundCount() > 0) {
			throw new IllegalStateException("%d queues, %d held, %d commands".formatted(engine.queues.index.size(),
					engine.instance.heldCount(), engine.instance.backgroundCount()));
		}
	}

}

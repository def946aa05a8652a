package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongUnaryOperator;

import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.engine.internal.instance.EngineDrive;
import io.distributedlock.engine.internal.instance.EngineExecutors;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.instance.LockTerms;
import io.distributedlock.engine.internal.instance.RequestIds;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.Waiter;
import io.distributedlock.engine.internal.time.EngineLoop;
import io.distributedlock.event.LockEvent;
import io.distributedlock.store.LockStore;

/**
 * An engine without threads, whose store answers at once: the interleaving of its callers
 * alone decides the result.
 */
final class LoneInstance {

	private final AtomicLong clock = new AtomicLong(1_000_000_000_000L);

	private final EngineLoop loop = new EngineLoop();

	private final AtomicInteger lost = new AtomicInteger();

	private volatile LossReason toldReason;

	private final AtomicInteger released = new AtomicInteger();

	final Engine engine;

	LoneInstance(LockStore store) {
		EngineExecutors executors = new EngineExecutors(Runnable::run, Runnable::run, Runnable::run, Runnable::run,
				Runnable::run);
		EngineDrive drive = new EngineDrive(this.clock::get, () -> now() / 1_000_000, this.loop, executors,
				LongUnaryOperator.identity(), new RequestIds(1, () -> 1, () -> 1));
		this.engine = new Engine(store, EngineSettings.DEFAULTS, drive, this::count);
	}

	long now() {
		return this.clock.get();
	}

	void advance(Duration by) {
		this.clock.addAndGet(by.toNanos());
	}

	/** Fire the timers that are due. */
	void runDue() {
		this.loop.runDue(now());
	}

	private void count(LockEvent event) {
		if (event instanceof LockEvent.Lost loss) {
			this.toldReason = loss.reason();
			this.lost.incrementAndGet();
		}
		else if (event instanceof LockEvent.Released) {
			this.released.incrementAndGet();
		}
	}

	/** How many losses were reported. */
	int lost() {
		return this.lost.get();
	}

	/** The reason of the last reported loss. */
	LossReason toldReason() {
		return this.toldReason;
	}

	/** How many releases were reported. */
	int released() {
		return this.released.get();
	}

	int timers() {
		return this.loop.timers().size();
	}

	/** Ask for a lock without an owner, and complete a future with the lease. */
	CompletableFuture<GrantLease> ask(LockRequest request) {
		CompletableFuture<GrantLease> answer = new CompletableFuture<>();
		this.engine.queues.enter(waiter(request, answer));
		return answer;
	}

	/** A waiter without limit, or one that tries once where its request does not wait. */
	Waiter waiter(LockRequest request, CompletableFuture<GrantLease> answer) {
		return new Waiter(this.engine.instance, LockKeys.of(request), terms(request), request.owner(), now(),
				Waiter.deadline(now(), request.options().waitFor()))
			.telling((hold, failure) -> {
				if (hold != null) {
					answer.complete(new GrantLease(hold));
				}
				else {
					answer.completeExceptionally(failure);
				}
			});
	}

	static LockTerms terms(LockRequest request) {
		return LockTerms.of(LockProfiles.DEFAULTS, request.name(), request.options());
	}

}

package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockRequest;
import io.distributedlock.engine.internal.instance.LockKeys;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.Waiter;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * Threads that want one lock of one instance, each with one request at a time. The store
 * grants every request, so only the local queue excludes a thread, also where the last
 * thread removes the queue while the next one enters it.
 */
public class QueueOperations {

	private static final LockRequest REQUEST = LockRequest.of("k").waitFor(Duration.ofDays(1));

	private static final LockRequest TRY = REQUEST.waitFor(Duration.ZERO);

	final LoneInstance instance = new LoneInstance(new PermissiveStore());

	private final Waiter[] waiters = new Waiter[8];

	@SuppressWarnings({ "unchecked", "rawtypes" })
	private final CompletableFuture<GrantLease>[] answers = new CompletableFuture[8];

	@Operation
	public String enter(@Param(gen = ThreadIdGen.class) int thread) {
		if (this.answers[thread] != null) {
			return "is in";
		}
		ask(REQUEST, thread);
		return this.answers[thread].isDone() ? "granted" : "waits";
	}

	@Operation
	public String tryOnce(@Param(gen = ThreadIdGen.class) int thread) {
		if (this.answers[thread] != null) {
			return "is in";
		}
		ask(TRY, thread);
		// The answer may be that to the attempt of another thread, which is still to
		// come.
		boolean granted = this.answers[thread].handle((lease, failure) -> lease != null).join();
		if (!granted) {
			this.answers[thread] = null;
		}
		return granted ? "granted" : "busy";
	}

	private void ask(LockRequest request, int thread) {
		this.answers[thread] = new CompletableFuture<>();
		this.waiters[thread] = this.instance.waiter(request, this.answers[thread]);
		enter(this.waiters[thread]);
	}

	void enter(Waiter waiter) {
		this.instance.engine.queues.enter(waiter);
	}

	@Operation
	public String giveUp(@Param(gen = ThreadIdGen.class) int thread) {
		if (this.answers[thread] == null) {
			return "is out";
		}
		if (this.instance.engine.queues.giveUp(this.waiters[thread], IllegalStateException::new)) {
			this.answers[thread] = null;
			return "gave up";
		}
		this.answers[thread].join();
		return "granted";
	}

	@Operation
	public String release(@Param(gen = ThreadIdGen.class) int thread) {
		CompletableFuture<GrantLease> answer = this.answers[thread];
		if (answer == null || !answer.isDone()) {
			return "not granted";
		}
		this.answers[thread] = null;
		answer.join().close();
		return "released";
	}

	@Operation
	public void wakeUp() {
		this.instance.engine.wakeUp(LockKeys.id(LockKeys.of(REQUEST)));
	}

	/** Every waiter that is still in leaves; then nothing is left. */
	@Validate
	public void leaveNothingBehind() {
		for (int thread = 0; thread < this.answers.length; thread++) {
			giveUp(thread);
		}
		for (int thread = 0; thread < this.answers.length; thread++) {
			release(thread);
		}
		Engine engine = this.instance.engine;
		if (engine.queues.index.size() + engine.instance.heldCount() + engine.instance.backgroundCount() > 0) {
			throw new IllegalStateException("%d queues, %d held, %d commands".formatted(engine.queues.index.size(),
					engine.instance.heldCount(), engine.instance.backgroundCount()));
		}
	}

}

package io.distributedlock.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.LockRequest;
import io.distributedlock.LossReason;
import io.distributedlock.WhenLost;
import io.distributedlock.engine.internal.line.GrantLease;
import io.distributedlock.engine.internal.line.Waiter;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * Races of waiters that give up with their grants, and of holders that close with their
 * interrupts. Outcomes that are not listed are forbidden.
 */
public final class WaiterRaces {

	private WaiterRaces() {
	}

	/** A waiter that gives up as its turn comes is settled once, and no lease is left. */
	@JCStressTest
	@Outcome(id = "true, 1, 0", expect = Expect.ACCEPTABLE, desc = "gave up")
	@Outcome(id = "false, 1, 0", expect = Expect.ACCEPTABLE, desc = "got the lock")
	@State
	public static class GiveUpAndGrant {

		private final LoneInstance instance = new LoneInstance(new PermissiveStore());

		private final LockRequest request = LockRequest.of("k").waitFor(Duration.ofDays(1));

		private final GrantLease holder = this.instance.ask(this.request).join();

		private final AtomicInteger settled = new AtomicInteger();

		private final CompletableFuture<GrantLease> answer = new CompletableFuture<>();

		private final Waiter waiter = this.instance.waiter(this.request, this.answer);

		public GiveUpAndGrant() {
			this.answer.whenComplete((lease, failure) -> this.settled.incrementAndGet());
			this.instance.engine.queues.enter(this.waiter);
		}

		@Actor
		public void close() {
			this.holder.close();
		}

		@Actor
		public void giveUp(LLL_Result r) {
			r.r1 = this.instance.engine.queues.giveUp(this.waiter, IllegalStateException::new);
		}

		@Arbiter
		public void after(LLL_Result r) {
			r.r2 = this.settled.get();
			if (!this.answer.isCompletedExceptionally()) {
				this.answer.join().close();
			}
			r.r3 = this.instance.engine.instance.heldCount() + this.instance.engine.queues.index.size()
					+ this.instance.timers();
		}

	}

	/** A thread that has come back from closing is not interrupted, then or later. */
	@JCStressTest
	@Outcome(id = "(released|lost), false", expect = Expect.ACCEPTABLE, desc = "not interrupted")
	@State
	public static class CloseAndInterrupt {

		private final LoneInstance instance = new LoneInstance(new PermissiveStore());

		private volatile GrantLease lease;

		private volatile Thread holder;

		@Actor
		public void holdAndClose(LL_Result r) {
			this.holder = Thread.currentThread();
			LockRequest request = LockRequest.of("k").whenLost(WhenLost.INTERRUPT).ownedByCurrentThread();
			GrantLease held = this.instance.ask(request).join();
			this.lease = held;
			r.r1 = RacingLease.close(held);
		}

		@Actor
		public void lose() {
			for (int i = 0; this.lease == null && i < 1000; i++) {
				Thread.onSpinWait();
			}
			GrantLease held = this.lease;
			if (held != null) {
				held.hold.grant.lose(LossReason.NOT_OWNER);
				this.instance.runDue();
			}
		}

		@Arbiter
		public void after(LL_Result r) {
			r.r2 = this.holder.isInterrupted();
		}

	}

}

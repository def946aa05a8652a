package io.distributedlock.engine;

import io.distributedlock.LossReason;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;
import org.openjdk.jcstress.infra.results.LLL_Result;
import org.openjdk.jcstress.infra.results.LL_Result;

/**
 * Events that can end a lease, two threads at a time, since more are not run on two
 * cores. A result that no outcome allows is forbidden.
 */
public final class LeaseRaces {

	private static final String RELEASED = "0 lost 1 released 0 left";

	private static final String LOST = "1 lost 0 released 0 left";

	private LeaseRaces() {
	}

	/** A renewal that is confirmed during the release changes nothing. */
	@JCStressTest
	@Outcome(id = "released, (true|false), " + RELEASED, expect = Expect.ACCEPTABLE, desc = "released")
	@State
	public static class CloseAndRenew extends RacingLease {

		@Actor
		public void close(LLL_Result r) {
			r.r1 = close();
		}

		@Actor
		public void renew(LLL_Result r) {
			r.r2 = renew();
		}

		@Arbiter
		public void after(LLL_Result r) {
			r.r3 = aftermath();
		}

	}

	/** Either the holder was in time, or the loss is told. */
	@JCStressTest
	@Outcome(id = "released, false, " + RELEASED, expect = Expect.ACCEPTABLE, desc = "in time")
	@Outcome(id = "lost, false, " + LOST, expect = Expect.ACCEPTABLE, desc = "too late")
	@State
	public static class CloseAndExpire extends RacingLease {

		@Actor
		public void close(LLL_Result r) {
			r.r1 = close();
		}

		@Actor
		public void runOut(LLL_Result r) {
			r.r2 = runOut();
		}

		@Arbiter
		public void after(LLL_Result r) {
			r.r3 = aftermath();
		}

	}

	/** A lease that ran out stays lost, and one that was renewed in time is held. */
	@JCStressTest
	@Outcome(id = "true, true, true", expect = Expect.ACCEPTABLE, desc = "renewed in time")
	@Outcome(id = "false, false, false", expect = Expect.ACCEPTABLE, desc = "too late")
	@State
	public static class RenewAndExpire {

		private final HeldGrant held = new HeldGrant();

		@Actor
		public void renew(LLL_Result r) {
			r.r1 = this.held.grant.extend(HeldGrant.time(0), 0, 200);
		}

		@Actor
		public void runOut(LLL_Result r) {
			r.r2 = this.held.grant.isHeld(HeldGrant.time(1));
		}

		@Arbiter
		public void after(LLL_Result r) {
			r.r3 = this.held.grant.isHeld(HeldGrant.time(1));
		}

	}

	/** Exactly one of released and lost, told once. */
	@JCStressTest
	@Outcome(id = "released, false, " + RELEASED, expect = Expect.ACCEPTABLE, desc = "released first")
	@Outcome(id = "lost, true, " + LOST, expect = Expect.ACCEPTABLE, desc = "lost first")
	@State
	public static class CloseAndLose extends RacingLease {

		@Actor
		public void close(LLL_Result r) {
			r.r1 = close();
		}

		@Actor
		public void lose(LLL_Result r) {
			r.r2 = lose();
		}

		@Arbiter
		public void after(LLL_Result r) {
			r.r3 = aftermath();
		}

	}

	/** A loss whose timer fires at that moment is told once, with its own reason. */
	@JCStressTest
	@Outcome(id = "(NOT_OWNER, nothing|nothing, NOT_OWNER)", expect = Expect.ACCEPTABLE, desc = "told once")
	@State
	public static class LoseAndTell {

		private final HeldGrant held = new HeldGrant();

		@Actor
		public void lose() {
			this.held.grant.lose(LossReason.NOT_OWNER);
		}

		@Actor
		public void tell(LL_Result r) {
			r.r1 = this.held.fire(0);
		}

		@Arbiter
		public void after(LL_Result r) {
			r.r2 = this.held.fire(0);
		}

	}

	/** Exactly one of released and lost, also if a renewal comes before the loss. */
	@JCStressTest
	@Outcome(id = "released, false, " + RELEASED, expect = Expect.ACCEPTABLE, desc = "released first")
	@Outcome(id = "lost, true, " + LOST, expect = Expect.ACCEPTABLE, desc = "lost first")
	@State
	public static class CloseAndRenewAndLose extends RacingLease {

		@Actor
		public void close(LLL_Result r) {
			r.r1 = close();
		}

		@Actor
		public void renewAndLose(LLL_Result r) {
			renew();
			r.r2 = lose();
		}

		@Arbiter
		public void after(LLL_Result r) {
			r.r3 = aftermath();
		}

	}

	/** A lease that is detached while it is closed is released all the same. */
	@JCStressTest
	@Outcome(id = "released, " + RELEASED, expect = Expect.ACCEPTABLE, desc = "released")
	@State
	public static class DetachAndClose extends RacingLease {

		@Actor
		public void detach() {
			this.lease.detach();
		}

		@Actor
		public void close(LL_Result r) {
			r.r1 = close();
		}

		@Arbiter
		public void after(LL_Result r) {
			r.r2 = aftermath();
		}

	}

	/** An action that is registered while the loss is told runs, and only once. */
	@JCStressTest
	@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "once")
	@State
	public static class RegisterAndLose extends RacingLease {

		@Actor
		public void register() {
			registerAction();
		}

		@Actor
		public void tell() {
			lose();
			this.instance.runDue();
		}

		@Arbiter
		public void after(I_Result r) {
			r.r1 = actions();
		}

	}

}

package io.distributedlock.engine;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A fault that must be found, since a check that cannot fail is none. */
public final class KnownRaces {

	private KnownRaces() {
	}

	/** Both look first and act afterwards, so both release. */
	@JCStressTest
	@Outcome(id = "true, true", expect = Expect.FORBIDDEN, desc = "released twice")
	@Outcome(expect = Expect.ACCEPTABLE, desc = "released once")
	@State
	public static class CloseTwice {

		private volatile boolean closed;

		@Actor
		public void close(ZZ_Result r) {
			r.r1 = release();
		}

		@Actor
		public void closeToo(ZZ_Result r) {
			r.r2 = release();
		}

		private boolean release() {
			boolean first = !this.closed;
			this.closed = true;
			return first;
		}

	}

}

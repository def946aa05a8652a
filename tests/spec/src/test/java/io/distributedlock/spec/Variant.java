package io.distributedlock.spec;

import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.spec.Model.Claim;

/**
 * A rule of the protocol, and a claim that is violated without it.
 *
 * @param module the name of the module
 * @param file the configuration
 * @param rule the rule that is left out
 * @param claim the claim that is violated
 */
record Variant(String module, String file, String rule, String claim) {

	/** Every rule, and every claim of the configurations. */
	static List<Variant> all() {
		return Stream.of(exclusiveLock(), waiting(), claims(), sets(), twins()).flatMap(List::stream).toList();
	}

	private static List<Variant> exclusiveLock() {
		String module = "ExclusiveLock";
		return List.of(new Variant(module, module, "release compares the owner", "ServerAgrees"),
				new Variant(module, module, "validity leaves room for drift", "MutualExclusion"),
				new Variant(module, module, "validity counts from the send", "ServerAgrees"),
				new Variant(module, module, "abandoned requests are refused", "NoEndedRequestHolds"),
				new Variant(module, module, "tombstones outlast late copies", "NoEndedRequestHolds"),
				new Variant(module, module, "all released requests are remembered", "NoFalseLoss"),
				new Variant(module, "ExclusiveLockLosesData", "renewal compares the owner", "ConfirmationsAreTrue"),
				new Variant(module, "ExclusiveLockLosesData", "tokens are not below the clock", "TokensGrow"),
				new Variant(module, "ExclusiveLockTokens", "tokens are above what the client has seen",
						"TokensOfOneClientGrow"),
				new Variant(module, "ExclusiveLockHandsOn", "spare tokens are reserved", "TokensGrow"), new Variant(
						module, "ExclusiveLockDelays", "a lease that runs out closes the lock", "ClosedAfterALoss"));
	}

	private static List<Variant> waiting() {
		String module = "Waiting";
		return List.of(new Variant(module, module, "waiters poll", "EveryWaiterIsReached"),
				new Variant(module, "WaitingWithoutPolls", "early wake-ups are remembered", "WakeUpsSuffice"),
				new Variant(module, "WaitingWithoutPolls", "an abandon wakes the next", "WakeUpsSuffice"));
	}

	private static List<Variant> claims() {
		String module = "Claims";
		return List.of(new Variant(module, module, "a claim counts from the wait command", "MutualExclusion"),
				new Variant(module, module, "only an acknowledged command counts", "ServerAgrees"),
				new Variant(module, module, "a claim in use is not given up", "ServerAgrees"),
				new Variant(module, module, "an abandon removes the entry", "NoEndedRequestHolds"),
				new Variant(module, "ClaimsGoOn", "an unwanted claim is given up", "ClaimsAreSeenTo"),
				new Variant(module, "ClaimsKeep", "a claim of a lock to be kept is confirmed", "KeptBeforeItIsUsed"));
	}

	private static List<Variant> sets() {
		String module = "Sets";
		return List.of(new Variant(module, module, "a release gives the lock", "EveryWaiterIsServed"),
				new Variant(module, module, "a reservation is kept", "EveryWaiterIsServed"),
				new Variant(module, module, "what comes after the busy lock is passed on", "ReservedInOrder"),
				new Variant(module, module, "all or none", "MutualExclusion"), new Variant(module, "SetsWithFaults",
						"an abandon passes on what is reserved", "ReservationsAreSeenTo"));
	}

	private static List<Variant> twins() {
		String module = "Twins";
		return List.of(new Variant(module, module, "a renewal compares marks", "OneTwinRenews"),
				new Variant(module, module, "marks are drawn afresh", "OneTwinRenews"),
				new Variant(module, module, "a release compares marks", "TheFirstThatRenewsStays"),
				new Variant(module, module, "only the newest renewal tells of a loss", "NoFalseLoss"),
				new Variant(module, module, "a repeated renewal has the same marks", "NoFalseLoss"));
	}

	Claim kind() {
		return Model.of(this.module, this.file).claims(Claim.INVARIANTS).contains(this.claim) ? Claim.INVARIANTS
				: Claim.PROPERTIES;
	}

	Model model() {
		Model model = Model.of(this.module, this.file).without(this.rule).claiming(kind(), this.claim);
		if (this.module.equals("Claims") && this.claim.equals("MutualExclusion")) {
			// A client has to acquire again while the other one still believes it holds.
			return model.with("MaxRequests", "2").with("MaxRenewals", "0");
		}
		// With too few marks to draw, none is pushed out.
		return this.module.equals("Twins") ? model.with("MaxDraws", "4") : model;
	}

}

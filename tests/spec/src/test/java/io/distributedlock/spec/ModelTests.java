package io.distributedlock.spec;

import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.distributedlock.spec.Model.Claim;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Checks the models in {@code src/test/tla} with TLC. The {@code README.md} of this
 * module explains the claims.
 */
class ModelTests {

	/**
	 * The models that show that each action is possible: few, since counting actions
	 * takes long, and small, where a smaller one has the action.
	 */
	private static final List<Model> COUNTED = List.of(Model.of("ExclusiveLock", "ExclusiveLock"),
			Model.of("ExclusiveLock", "ExclusiveLockTokens"), Model.of("ExclusiveLock", "ExclusiveLockHandsOn"),
			Model.of("Waiting", "Waiting"), Model.of("Claims", "Claims"), Model.of("Claims", "ClaimsGoOn"),
			Model.of("Sets", "SetsWithFaults"), Model.of("Twins", "Twins"));

	/** Each configuration is checked once. */
	private static final Map<Model, Findings> FINDINGS = new ConcurrentHashMap<>();

	@ParameterizedTest
	@CsvSource({
			"ExclusiveLock, ExclusiveLock, 10000, " + "MutualExclusion ServerAgrees NoEndedRequestHolds NoFalseLoss, "
					+ "ConfirmationsAreTrue TokensGrow TokensOfOneClientGrow",
			"ExclusiveLock, ExclusiveLockLosesData, 50000, "
					+ "MutualExclusion ServerAgrees NoEndedRequestHolds NoFalseLoss, "
					+ "ConfirmationsAreTrue TokensGrow TokensOfOneClientGrow",
			"ExclusiveLock, ExclusiveLockTokens, 20000, "
					+ "MutualExclusion ServerAgrees NoEndedRequestHolds NoFalseLoss, "
					+ "ConfirmationsAreTrue TokensGrow TokensOfOneClientGrow",
			"ExclusiveLock, ExclusiveLockHandsOn, 20000, "
					+ "MutualExclusion ServerAgrees NoEndedRequestHolds NoFalseLoss, "
					+ "ConfirmationsAreTrue TokensGrow TokensOfOneClientGrow",
			"ExclusiveLock, ExclusiveLockDelays, 1000, "
					+ "MutualExclusion ServerAgrees NoEndedRequestHolds NoFalseLoss ClosedAfterALoss, "
					+ "ConfirmationsAreTrue TokensGrow TokensOfOneClientGrow",
			"Waiting, Waiting, 2000, StateIsSound, EveryWaiterIsReached",
			"Waiting, WaitingWithoutPolls, 30000, StateIsSound WakeUpsSuffice, ''",
			"Claims, Claims, 40000, MutualExclusion ServerAgrees NoEndedRequestHolds ClaimsAreSeenTo, ''",
			"Claims, ClaimsGoOn, 15000, MutualExclusion ServerAgrees NoEndedRequestHolds ClaimsAreSeenTo, ''",
			"Claims, ClaimsKeep, 10000, "
					+ "MutualExclusion ServerAgrees NoEndedRequestHolds KeptBeforeItIsUsed ClaimsAreSeenTo, ''",
			"Sets, Sets, 12000, MutualExclusion ReservedInOrder ReservationsAreSeenTo, EveryWaiterIsServed",
			"Sets, SetsWithFaults, 4500, MutualExclusion ReservedInOrder ReservationsAreSeenTo, ''",
			"Twins, Twins, 50000, OneTwinRenews TheFirstThatRenewsStays NoFalseLoss, ''" })
	void modelKeepsItsClaims(String module, String file, long leastStates, String invariants, String properties) {
		Model model = Model.of(module, file);
		assertThat(model.claims(Claim.INVARIANTS)).containsExactly(words(invariants));
		assertThat(model.claims(Claim.PROPERTIES)).containsExactly(words(properties));
		assertKept(model, leastStates);
	}

	@Tag("large")
	@ParameterizedTest
	@MethodSource("largeModels")
	void largeModelKeepsItsClaims(Model model, long leastStates) {
		assertKept(model, leastStates);
	}

	static Stream<Arguments> largeModels() {
		Model lock = Model.of("ExclusiveLock", "ExclusiveLock").with("MaxCrashes", "0");
		Model rememberAll = lock.with("TombstonesEnd", "FALSE").with("MaxAttempts", "1");
		Model reached = Model.of("Waiting", "WaitingWithoutPolls").claiming(Claim.PROPERTIES, "EveryWaiterIsReached");
		return Stream.of(Arguments.of(lock.with("Ttl", "3"), 15_000), Arguments.of(reached, 30_000),
				Arguments.of(Model.of("Claims", "ClaimsGoOn").with("MaxCommands", "20"), 150_000),
				Arguments.of(Model.of("Claims", "Claims").with("Fresh", "2"), 40_000),
				Arguments.of(Model.of("Claims", "ClaimsKeep").with("MaxCommands", "20"), 40_000),
				Arguments.of(Model.of("Sets", "SetsWithFaults").with("Clients", "{a, b, c}"), 100_000),
				Arguments.of(Model.of("ExclusiveLock", "ExclusiveLockTokens").with("MaxCrashes", "1"), 50_000),
				Arguments.of(rememberAll.with("Clients", "{a, b, c}"), 80_000),
				Arguments.of(rememberAll.with("MaxRequests", "2"), 900_000),
				Arguments.of(Model.of("ExclusiveLock", "ExclusiveLockLosesData").with("MaxSteps", "1"), 200_000),
				Arguments.of(Model.of("Twins", "Twins").with("MostMarks", "4").with("MaxDraws", "3"), 280_000));
	}

	@ParameterizedTest
	@MethodSource("io.distributedlock.spec.Variant#all")
	void modelWhenARuleIsLeftOutViolatesAClaim(Variant variant) {
		assertViolated(variant.model(), variant.claim());
	}

	@ParameterizedTest
	@CsvSource({ "ExclusiveLock, ExclusiveLockLosesData, INVARIANTS, OneHolderAfterLossOfData",
			"ExclusiveLock, ExclusiveLockTokens, INVARIANTS, LateCopyIsRefusedAfterLossOfData",
			"ExclusiveLock, ExclusiveLockTokens, PROPERTIES, TokensGrowAfterLossAndClockSetBack",
			"Twins, Twins, INVARIANTS, TwinsNeverHoldTogether" })
	void claimThatIsNotPromisedIsViolated(String module, String file, Claim kind, String claim) {
		assertViolated(Model.of(module, file).claiming(kind, claim), claim);
	}

	@ParameterizedTest
	@ValueSource(strings = { "ExclusiveLock", "Waiting", "Claims", "Sets", "Twins" })
	void everyActionIsPossibleInAConfiguration(String module) {
		List<Findings> all = COUNTED.stream()
			.filter((model) -> model.module().equals(module))
			.map(ModelTests::check)
			.toList();
		Set<String> actions = all.get(0).actions(false);
		Set<String> impossible = all.get(0).actions(true);
		assertThat(actions).hasSizeGreaterThan(5);
		assertThat(all).allSatisfy((findings) -> {
			assertThat(findings.isComplete()).as(findings::toString).isTrue();
			assertThat(findings.actions(false)).isEqualTo(actions);
		});
		all.forEach((findings) -> impossible.retainAll(findings.actions(true)));
		assertThat(impossible).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "ExclusiveLock", "Waiting", "Claims", "Sets", "Twins" })
	void everyRuleAndEveryClaimHasAVariant(String module) {
		List<Variant> variants = Variant.all().stream().filter((variant) -> variant.module().equals(module)).toList();
		assertThat(variants).extracting(Variant::rule)
			.containsExactlyInAnyOrderElementsOf(Model.of(module, module).rules());
		for (String file : files(module)) {
			Model model = Model.of(module, file);
			Set<String> claims = new HashSet<>(model.claims(Claim.INVARIANTS));
			claims.addAll(model.claims(Claim.PROPERTIES));
			claims.remove("StateIsSound");
			assertThat(variants).extracting(Variant::claim).containsAll(claims);
		}
	}

	private static List<String> files(String module) {
		return switch (module) {
			case "ExclusiveLock" -> List.of("ExclusiveLock", "ExclusiveLockLosesData", "ExclusiveLockTokens",
					"ExclusiveLockHandsOn", "ExclusiveLockDelays");
			case "Waiting" -> List.of("Waiting", "WaitingWithoutPolls");
			case "Claims" -> List.of("Claims", "ClaimsGoOn", "ClaimsKeep");
			case "Sets" -> List.of("Sets", "SetsWithFaults");
			default -> List.of(module);
		};
	}

	private static void assertKept(Model model, long leastStates) {
		Findings findings = check(model);
		assertThat(findings.isComplete()).as(findings::toString).isTrue();
		assertThat(findings.violated()).isEmpty();
		assertThat(findings.states()).isGreaterThanOrEqualTo(leastStates);
	}

	private static void assertViolated(Model model, String claim) {
		Findings findings = check(model);
		assertThat(findings.isComplete()).as(findings::toString).isFalse();
		if (findings.isTemporalPropertyViolated()) {
			assertThat(model.claims(Claim.PROPERTIES)).containsExactly(claim);
		}
		else {
			assertThat(findings.violated()).as(findings::toString).isEqualTo(claim);
		}
	}

	private static Findings check(Model model) {
		return FINDINGS.computeIfAbsent(model, (unchecked) -> {
			try {
				return ModelChecker.check(unchecked, COUNTED.contains(unchecked));
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		});
	}

	private static String[] words(String text) {
		return text.isEmpty() ? new String[0] : text.split(" ");
	}

}

package io.distributedlock.history;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.history.Event.Phase;
import io.distributedlock.history.Quiescence.Counts;
import io.distributedlock.history.Quiescence.ServerKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.distributedlock.history.RuleName.C10_DETECTION;
import static io.distributedlock.history.RuleName.C1_EXCLUSION;
import static io.distributedlock.history.RuleName.C2_TOKEN_ORDER;
import static io.distributedlock.history.RuleName.C3_FENCED_REGISTER;
import static io.distributedlock.history.RuleName.C4_BOUNDED_WAIT;
import static io.distributedlock.history.RuleName.C5_LEAKS;
import static io.distributedlock.history.RuleName.C6_REENTRANCE;
import static io.distributedlock.history.RuleName.C7_READ_WRITE;
import static io.distributedlock.history.RuleName.C8_SEMAPHORE;
import static io.distributedlock.history.RuleName.C9_UNKNOWN_OUTCOME;
import static org.assertj.core.api.Assertions.assertThat;

/** Histories that must be refused, each by exactly the rules that it breaks. */
class BadHistoryTests {

	private static final Counts NONE = new Counts(0, 1, 10, 0);

	private static Case bad(String name, RuleName rule, Consumer<Script> script) {
		return new Case(name, EnumSet.of(rule), script);
	}

	private static Case bad(String name, RuleName rule, RuleName alsoRule, Consumer<Script> script) {
		return new Case(name, EnumSet.of(rule, alsoRule), script);
	}

	static Stream<Case> overlaps() {
		return Stream.of(bad("two believe", C1_EXCLUSION, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(30, 40);
			s.actor("b").holds(0, 20, 2, 1000).releases(50, 60);
		}), bad("the first had been renewed", C1_EXCLUSION, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).renews(300, 310, 1300).releases(1250, 1260);
			s.actor("b").holds(1100, 1200, 2, 2200).releases(1300, 1310);
		}), bad("a hand-off while the first is inside", C1_EXCLUSION, C2_TOKEN_ORDER, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(30, 40);
			s.actor("b").as("a").holds(15, 20, 2, 1000).releases(50, 60);
		}), bad("a lease comes back to life", C1_EXCLUSION, (s) -> {
			s.actor("a").holds(0, 10, 1, 100).renews(200, 210, 1200).releases(300, 310);
			s.actor("b").holds(0, 120, 2, 1000).releases(130, 140);
		}), bad("a late answer is believed", C1_EXCLUSION, (s) -> {
			s.actor("a").holds(0, 50, 1, 1000).releases(60, 70);
			s.actor("b").holds(0, 20, 2, 1000).releases(30, 40);
		}), bad("the next one was given it, but too late to believe", C1_EXCLUSION, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(200, 210);
			s.actor("b").holds(0, 100, 2, 90).releases(110, 120);
		}), bad("the store has forgotten, but before", C1_EXCLUSION, (s) -> {
			s.loss(Script.KEY, 0, 5);
			s.actor("a").holds(10, 20, 1, 1000).releases(40, 50);
			s.actor("b").holds(10, 30, 2, 1000).releases(60, 70);
		}), bad("the store has forgotten another lock", C1_EXCLUSION, (s) -> {
			s.actor("a").holds(10, 20, 1, 1000).releases(40, 50);
			s.loss("other", 22, 25);
			s.actor("b").holds(10, 30, 2, 1000).releases(60, 70);
		}), bad("a killed process is not dead yet", C1_EXCLUSION, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000);
			s.kill("p-a", 15, 40);
			s.actor("b").holds(0, 30, 2, 1000).releases(60, 70);
		}), bad("another holder is notified of a loss", C1_EXCLUSION, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(60, 70);
			s.actor("b", "other").holds(0, 10, 1, 1000).isToldLost(15, "SHUTDOWN").releases(60, 70);
			s.actor("c").holds(0, 30, 2, 1000).releases(60, 70);
		}));
	}

	static Stream<Case> tokens() {
		return Stream.of(bad("a smaller token later", C1_EXCLUSION, C2_TOKEN_ORDER, (s) -> {
			s.actor("a").holds(0, 10, 7, 1000).releases(20, 30);
			s.actor("b").holds(40, 50, 6, 1000).releases(60, 70);
		}), bad("the same token later", C2_TOKEN_ORDER, (s) -> {
			s.actor("a").holds(0, 10, 7, 1000).releases(20, 30);
			s.actor("b").holds(40, 50, 7, 1000).releases(60, 70);
		}), bad("the same token for two that asked at once", C2_TOKEN_ORDER, (s) -> {
			s.actor("a").holds(0, 10, 7, 1000).releases(20, 30);
			s.actor("b").holds(5, 35, 7, 1000).releases(60, 70);
		}), bad("a smaller token, not even believed", C2_TOKEN_ORDER, (s) -> {
			s.actor("a").holds(0, 10, 7, 1000).releases(20, 30);
			s.actor("b").holds(40, 50, 6, 45).releases(60, 70);
		}), bad("another token for the same request", C1_EXCLUSION, C2_TOKEN_ORDER, (s) -> {
			s.actor("a").holds(0, 10, 7, 1000).asks(20);
			s.actor("retry").as("a").holds(15, 30, 8, 1000).releases(60, 70);
		}), bad("a section under another token", C2_TOKEN_ORDER, C6_REENTRANCE, (s) -> {
			s.actor("a").holds(0, 10, 7, 1000).enters(20).exits(40).releases(60, 70);
			s.actor("a").withToken(8).enters(30);
		}));
	}

	static Stream<Case> registers() {
		return Stream.of(bad("a stale write accepted", C3_FENCED_REGISTER, (s) -> {
			s.accepted(10, 5, 0, 1).accepted(20, 6, 1, 2).accepted(30, 5, 2, 3);
		}), bad("a write accepted although a newer holder has entered", C3_FENCED_REGISTER, (s) -> {
			s.entered(10, 6).accepted(20, 5, 0, 1);
		}), bad("the newest holder refused", C3_FENCED_REGISTER, (s) -> {
			s.accepted(10, 5, 0, 1).refused(20, 6, 1, 2);
		}), bad("a lost update", C3_FENCED_REGISTER, (s) -> {
			s.accepted(10, 5, 0, 1).accepted(20, 6, 0, 1);
		}), bad("an acknowledged write that never was", C3_FENCED_REGISTER, (s) -> {
			s.actor("a").holds(0, 10, 5, 1000).writes(20, Phase.OK).writes(30, Phase.OK).releases(40, 50);
			s.accepted(20, 5, 0, 1);
		}), bad("a write that was never sent", C3_FENCED_REGISTER, (s) -> {
			s.actor("a").holds(0, 10, 5, 1000).writes(20, Phase.FAIL).releases(40, 50);
			s.accepted(20, 5, 0, 1);
		}));
	}

	static Stream<Case> waits() {
		return Stream.of(bad("a wake-up lost", C4_BOUNDED_WAIT, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 30);
			s.actor("b").holds(15, 151, 2, 2000).releases(160, 170);
		}), bad("a waiter that gives up although it is free", C4_BOUNDED_WAIT, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 30);
			s.actor("b").asks(15).isRefused(500);
		}), bad("a waiter that waits to the end", C4_BOUNDED_WAIT, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 30);
			s.actor("b").asks(15);
			s.nothingUntil(500);
		}), bad("a wake-up lost, while the holder entered again what it has", C4_BOUNDED_WAIT, (s) -> {
			s.outage("p-a", 0, 12);
			s.actor("a").holds(0, 5, 1, 1000).releases(20, 30);
			s.actor("again").beside("a").asks(6).entersAgain(11);
			s.actor("b").holds(15, 151, 2, 2000).releases(160, 170);
		}), bad("a lease that has run out", C4_BOUNDED_WAIT, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(1000).releases(2000, 2010, Phase.FAIL);
			s.actor("b").holds(15, 1133, 2, 2000).releases(1140, 1150);
		}), bad("a holder killed", C4_BOUNDED_WAIT, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000);
			s.kill("p-a", 20, 30);
			s.actor("b").holds(15, 1133, 2, 2200).releases(1140, 1150);
		}), bad("a holder killed while it renewed", C4_BOUNDED_WAIT, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).startsRenewal(300);
			s.kill("p-a", 301, 310);
			s.actor("b").holds(15, 1481, 2, 2400).releases(1490, 1495);
		}), bad("a request of unknown outcome, abandoned", C4_BOUNDED_WAIT, (s) -> {
			s.actor("a").asks(0).doesNotKnow(10).abandons(20, 30);
			s.actor("b").holds(15, 151, 2, 2000).releases(160, 170);
		}), bad("a request of unknown outcome, never abandoned", C4_BOUNDED_WAIT, (s) -> {
			s.actor("a").asks(0).doesNotKnow(10);
			s.actor("b").holds(15, 1181, 2, 2000).releases(1190, 1200);
		}), bad("a store that is back", C4_BOUNDED_WAIT, (s) -> {
			s.outage(Event.ALL, 0, 400);
			s.actor("b").holds(15, 591, 2, 1500).releases(600, 610);
		}), bad("a process that runs again", C4_BOUNDED_WAIT, (s) -> {
			s.stop("p-b", 20, 400);
			s.actor("b").holds(15, 591, 2, 1500).releases(600, 610);
		}), bad("another process is stopped", C4_BOUNDED_WAIT, (s) -> {
			s.stop("p-a", 20, 400);
			s.actor("b").holds(15, 141, 2, 1000).releases(600, 610);
		}), bad("a renewal that an outage held back", C4_BOUNDED_WAIT, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).startsRenewal(300).isToldLost(1000);
			s.outage("p-a", 299, 1300);
			s.actor("b").holds(15, 2471, 2, 3300).releases(2480, 2490);
		}), bad("a lock kept after its release", C4_BOUNDED_WAIT, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releasesButKeeps(20, 30, 500);
			s.actor("b").holds(15, 621, 2, 1500).releases(630, 640);
		}));
	}

	static Stream<Case> sections() {
		return Stream.of(bad("left more often than entered", C6_REENTRANCE, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).enters(20).exits(30, 40).releases(50, 60);
		}), bad("released in the inner section", C6_REENTRANCE, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).enters(20, 30).exits(40).releases(50, 60);
		}), bad("entered after the release", C6_REENTRANCE, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 30).enters(40);
		}), bad("entered without a lease", C6_REENTRANCE, (s) -> s.actor("a").enters(40)),
				bad("never released", C6_REENTRANCE, (s) -> {
					s.actor("a").holds(0, 10, 1, 1000).enters(20).exits(30);
				}));
	}

	static Stream<Case> sharedLocks() {
		return Stream.of(bad("a reader beside a writer", C7_READ_WRITE, (s) -> {
			s.actor("w").holds(0, 10, 1, 1000).releases(50, 60);
			s.reader("r").holds(0, 20, 1, 1000).releases(50, 60);
		}), bad("a writer beside a reader", C7_READ_WRITE, (s) -> {
			s.reader("r").holds(0, 10, 0, 1000).releases(50, 60);
			s.actor("w").holds(0, 20, 1, 1000).releases(50, 60);
		}), bad("two writers beside a reader of their own", C1_EXCLUSION, C7_READ_WRITE, (s) -> {
			s.actor("w").holds(0, 10, 1, 1000).releases(50, 60);
			s.reader("w2").as("w").holds(15, 20, 1, 1000).releases(50, 60);
			s.actor("v").holds(0, 30, 2, 1000).releases(50, 60);
		}), bad("a starving writer", C7_READ_WRITE, (s) -> {
			s.reader("r").holds(0, 10, 0, 1000).releases(500, 510);
			s.actor("w").holds(20, 530, 1, 1500).releases(540, 550);
			s.reader("new").holds(200, 210, 0, 1000).releases(510, 520);
		}), bad("a reader with the token of the writer before, and another one has waited", C7_READ_WRITE, (s) -> {
			s.actor("before").holds(0, 10, 1, 1000).releases(20, 30);
			s.reader("r0").holds(31, 40, 1, 1000).releases(500, 510);
			s.actor("w").holds(20, 530, 3, 1500).releases(540, 550);
			s.reader("r").holds(200, 210, 1, 1000).releases(510, 520);
		}), bad("a reader with an old token", C2_TOKEN_ORDER, (s) -> {
			s.actor("w").holds(0, 10, 5, 1000).releases(20, 30);
			s.reader("r").holds(40, 50, 4, 1000).releases(60, 70);
		}), bad("more permits than there are", C8_SEMAPHORE, (s) -> {
			s.permits("a", 2, 3).holds(0, 10, 0, 1000).releases(50, 60);
			s.permits("b", 2, 3).holds(0, 20, 0, 1000).releases(50, 60);
		}), bad("a permit that comes back to life", C8_SEMAPHORE, (s) -> {
			s.permits("a", 1, 1).holds(0, 10, 0, 100).renews(200, 210, 1000).releases(250, 260);
			s.permits("b", 1, 1).holds(0, 120, 0, 1000).releases(250, 260);
		}));
	}

	static Stream<Case> ends() {
		return Stream.of(bad("granted after it was abandoned", C9_UNKNOWN_OUTCOME, (s) -> {
			s.actor("a").asks(0).doesNotKnow(10).abandons(20, 30).holds(40, 50, 1, 1000).releases(60, 70);
		}), bad("granted after it was refused", C9_UNKNOWN_OUTCOME, (s) -> {
			s.actor("a").asks(0).isRefused(10).gets(20, 1, 1000).releases(60, 70);
		}), bad("granted again after the release", C9_UNKNOWN_OUTCOME, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 30).gets(40, 2, 1000).releases(50, 60);
		}), bad("renewed long after the release", C9_UNKNOWN_OUTCOME, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 30).startsRenewal(101);
		}), bad("never told of a loss", C10_DETECTION, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000);
			s.loss(Script.KEY, 20, 25);
			s.nothingUntil(800);
		}), bad("cloned, and both go on", C10_DETECTION, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).renews(300, 310, 1310).releases(900, 910);
			s.fault(NemesisKind.DOUBT, Script.KEY, Event.ALL, 20, 40);
			s.actor("b").asks(25).goesOnWith(30, 1, 1030).renews(330, 340, 1340).releases(900, 910);
		}), bad("two with one token and no clone", C1_EXCLUSION, C2_TOKEN_ORDER, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(900, 910);
			s.actor("b").holds(25, 30, 1, 1030).releases(900, 910);
		}), bad("told too late", C10_DETECTION, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(430).releases(440, 450, Phase.FAIL);
			s.loss(Event.ALL, 20, 25);
		}), bad("told later than its validity", C10_DETECTION, (s) -> {
			s.actor("a").holds(0, 10, 1, 100).isToldLost(122).releases(440, 450, Phase.FAIL);
			s.loss(Event.ALL, 20, 25);
		}), bad("renewed although the store has forgotten it", C10_DETECTION, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).renews(100, 110, 1100).renews(200, 210, 1200).releases(500, 510);
			s.loss(Script.KEY, 20, 25);
		}), bad("told of a loss that cannot have been", C10_DETECTION,
				(s) -> s.actor("a").holds(0, 10, 1, 1000).isToldLost(500).releases(600, 610)),
				bad("told at the release, which had been done", C10_DETECTION,
						(s) -> s.actor("a").holds(0, 10, 1, 1000).releases(600, 610, Phase.FAIL)),
				bad("told of the loss of another lock", C10_DETECTION, (s) -> {
					s.actor("a").holds(0, 10, 1, 1000).isToldLost(500).releases(600, 610);
					s.loss("other", 20, 25);
				}), bad("told late although it runs again", C10_DETECTION, (s) -> {
					s.actor("a").holds(0, 10, 1, 1000).isToldLost(1550).releases(1560, 1570, Phase.FAIL);
					s.loss(Script.KEY, 20, 25);
					s.stop("p-a", 22, 1500);
				}), bad("told later than its validity, cut off or not", C10_DETECTION, (s) -> {
					s.actor("a").holds(0, 10, 1, 1000).isToldLost(1030).releases(1560, 1570, Phase.FAIL);
					s.loss(Script.KEY, 20, 25);
					s.outage("p-a", 22, 1500);
				}));
	}

	@ParameterizedTest
	@MethodSource({ "overlaps", "tokens", "registers", "waits", "sections", "sharedLocks", "ends" })
	void badHistoryWhenCheckedIsRefusedByItsRule(Case bad) {
		Script script = new Script();
		// A lock that all is well with must not be blamed.
		script.actor("g", "good").holds(0, 10, 1, 1000).enters(20).exits(30).releases(40, 50);
		bad.script.accept(script);
		Report report = script.check();
		assertThat(report.counts().keySet()).as(report.toString()).isEqualTo(bad.rules);
		assertThat(report.violations()).allSatisfy((violation) -> {
			assertThat(violation.key()).isEqualTo(Script.KEY);
			assertThat(violation.events()).isNotEmpty().allMatch((event) -> event != null);
		});
	}

	static Stream<Leak> leaks() {
		return Stream.of(new Leak("lock:k", new ServerKey("lock:k", "hash", true, 5000, 3000, 60_000), NONE),
				new Leak("lock:k", new ServerKey("lock:k", "hash", false, -1, -1, 60_000), NONE),
				new Leak("lock:k", new ServerKey("lock:k", "hash", false, 60_001, 50_000, 60_000), NONE),
				new Leak("lock:k", new ServerKey("lock:k", "hash", false, 5000, 5001, 60_000), NONE),
				new Leak("lock:k:q", new ServerKey("lock:k:q", "list", false, 5000, 3000, 60_000), NONE),
				new Leak("lock:%holders:{lock:k}",
						new ServerKey("lock:%holders:{lock:k}", "zset", true, 5000, 3000, 60_000), NONE),
				new Leak(Event.ALL, null, new Counts(1, 1, 10, 0)), new Leak(Event.ALL, null, new Counts(0, 2, 10, 0)),
				new Leak(Event.ALL, null, new Counts(0, 1, 11, 0)), new Leak(Event.ALL, null, new Counts(0, 1, 10, 1)));
	}

	@ParameterizedTest
	@MethodSource("leaks")
	void leftoverWhenAllHaveReleasedIsRefused(Leak leak) {
		Report report = new HistoryChecker(Script.BOUNDS)
			.finish(new Quiescence((leak.left != null) ? List.of(leak.left) : List.of(), NONE, leak.after, Map.of()));
		assertThat(report.violations()).singleElement().satisfies((violation) -> {
			assertThat(violation.rule()).isEqualTo(C5_LEAKS);
			assertThat(violation.key()).isEqualTo(leak.key);
		});
	}

	@Test
	void registerWhenItsFinalValueIsNotThatOfTheLastWriteIsRefused() {
		HistoryChecker checker = new Script().accepted(10, 5, 0, 1).checked();
		Report report = checker.finish(new Quiescence(List.of(), NONE, NONE, Map.of(Script.KEY, 2L)));
		assertThat(report.violations()).extracting(Violation::rule).containsExactly(C3_FENCED_REGISTER);
	}

	@Test
	void lossWhenNeverToldCountsAsSilentAndWhenToldLateDoesNot() {
		Script never = new Script().loss(Script.KEY, 20, 25).nothingUntil(800);
		never.actor("a").holds(0, 10, 1, 1000);
		assertThat(never.check().silentLosses()).isEqualTo(1);
		Script late = new Script().loss(Script.KEY, 20, 25);
		late.actor("a").holds(0, 10, 1, 1000).isToldLost(500);
		assertThat(late.check().silentLosses()).isZero();
	}

	record Case(String name, Set<RuleName> rules, Consumer<Script> script) {

		@Override
		public String toString() {
			return this.rules + " " + this.name;
		}

	}

	record Leak(String key, ServerKey left, Counts after) {
	}

}

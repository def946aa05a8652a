package io.distributedlock.history;

import java.util.stream.Stream;

import io.distributedlock.history.Event.Phase;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.distributedlock.history.HistoryCase.bad;
import static io.distributedlock.history.HistoryCase.good;
import static io.distributedlock.history.RuleName.C10_DETECTION;
import static io.distributedlock.history.RuleName.C1_EXCLUSION;
import static io.distributedlock.history.RuleName.C2_TOKEN_ORDER;
import static io.distributedlock.history.RuleName.C4_BOUNDED_WAIT;
import static io.distributedlock.history.RuleName.C7_READ_WRITE;
import static org.assertj.core.api.Assertions.assertThat;

/** Stores of several nodes, of which one is lost or replaced by another. */
class FailoverHistoryTests {

	static Stream<HistoryCase> refused() {
		return Stream.of(bad("two believe, and none is ever told", C10_DETECTION, (s) -> {
			s.failover(20, 30);
			s.actor("a").holds(0, 10, 1, 1000).releases(900, 910);
			s.actor("b").holds(5, 40, 2, 1000).releases(900, 910);
		}), bad("two begin to believe long after the fail-over", C10_DETECTION, (s) -> {
			s.failover(20, 30);
			s.actor("a").holds(0, 10, 1, 1000).renews(500, 510, 1500).releases(900, 910);
			s.actor("b").holds(5, 600, 2, 1600).releases(900, 910);
		}), bad("two believe, and the fail-over was before", C1_EXCLUSION, (s) -> {
			s.failover(0, 5);
			s.actor("a").holds(6, 10, 1, 1000).releases(900, 910);
			s.actor("b").holds(6, 40, 2, 1000).releases(950, 960);
		}), bad("a reader and a writer believe, and none is told", C10_DETECTION, (s) -> {
			s.failover(20, 30);
			s.reader("a").holds(0, 10, 0, 1000).releases(900, 910);
			s.actor("b").holds(5, 40, 2, 1000).releases(900, 910);
		}), bad("a reader and a writer believe, and the fail-over was before", C7_READ_WRITE, (s) -> {
			s.failover(0, 5);
			s.reader("a").holds(6, 10, 0, 1000).releases(900, 910);
			s.actor("b").holds(6, 40, 2, 1000).releases(950, 960);
		}), bad("a release was undone, but not for so long", C4_BOUNDED_WAIT, (s) -> {
			s.failover(20, 30);
			s.actor("a").holds(0, 5, 1, 1000).releases(10, 15);
			s.actor("b").holds(12, 1155, 2, 2000).releases(1900, 1910);
		}), bad("a release long before the fail-over", C4_BOUNDED_WAIT, (s) -> {
			s.failover(70, 80);
			s.actor("a").holds(0, 5, 1, 1000).releases(10, 15);
			s.actor("b").holds(12, 140, 2, 1100).releases(900, 910);
		}), bad("a node is away that has another lock", C4_BOUNDED_WAIT, (s) -> {
			s.outageOf("other", 0, 400);
			s.actor("b").holds(5, 130, 1, 1000).releases(900, 910);
		}), bad("a node is back", C4_BOUNDED_WAIT, (s) -> {
			s.outageOf(Script.KEY, 0, 400);
			s.actor("b").holds(5, 575, 1, 1400).releases(900, 910);
		}), bad("a renewal, while a node is away that has another lock", C4_BOUNDED_WAIT, (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).startsRenewal(300).isToldLost(1000);
			s.outageOf("other", 299, 1300);
			s.actor("b").holds(15, 1481, 2, 3300).releases(2480, 2490);
		}), bad("a reader with an old token, and the fail-over was before", C2_TOKEN_ORDER, (s) -> {
			s.failover(0, 5);
			s.actor("a").holds(0, 60, 5, 1000).releases(70, 80);
			s.reader("b").holds(90, 95, 4, 1000).releases(96, 97);
		}), bad("a writer with an old token after a fail-over", C2_TOKEN_ORDER, (s) -> {
			s.failover(15, 35);
			s.actor("a").holds(0, 10, 5, 1000).releases(20, 30);
			s.actor("b").holds(40, 50, 5, 1000).releases(60, 70);
		}), bad("the same token for two that asked at once, and the fail-over was before", C2_TOKEN_ORDER, (s) -> {
			s.failover(0, 5);
			s.actor("a").holds(60, 70, 5, 1000).isToldLost(75, "SHUTDOWN").releases(900, 910, Phase.FAIL);
			s.actor("b").holds(61, 80, 5, 1000).releases(900, 910);
		}), bad("one of several that has released the keys it had", C4_BOUNDED_WAIT, (s) -> {
			s.actor("a").asksInTurn(0).isRefused(300);
			s.actor("b").holds(5, 475, 1, 1400).releases(900, 910);
		}));
	}

	static Stream<HistoryCase> accepted() {
		HistoryCase oneToken = good("the same token from both primaries", (s) -> {
			s.failover(20, 30);
			s.actor("a").holds(15, 25, 5, 1000).isToldLost(430).releases(900, 910, Phase.FAIL);
			s.actor("b").holds(16, 40, 5, 1000).releases(900, 910);
		});
		return Stream.concat(Stream.of(oneToken), otherAccepted());
	}

	private static Stream<HistoryCase> otherAccepted() {
		return Stream.of(good("two believe, and the first is told in time", (s) -> {
			s.failover(20, 30);
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(430).releases(900, 910, Phase.FAIL);
			s.actor("b").holds(5, 40, 2, 1000).releases(900, 910);
		}), good("two believe, and the second is told in time", (s) -> {
			s.failover(20, 30);
			s.actor("a").holds(0, 10, 1, 1000).releases(900, 910);
			s.actor("b").holds(5, 40, 2, 1000).isToldLost(430).releases(900, 910, Phase.FAIL);
		}), good("two believe while it lasts", (s) -> {
			s.failover(20, 700);
			s.actor("a").holds(0, 10, 1, 1000).renews(500, 510, 1500).isToldLost(1100).releases(1200, 1210, Phase.FAIL);
			s.actor("b").holds(5, 40, 2, 1000).renews(500, 510, 1500).releases(1200, 1210);
		}), good("one believed, then stopped, and is told as it runs again", (s) -> {
			s.failover(20, 30);
			s.stop("p-a", 25, 2000);
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(2030).releases(2200, 2210, Phase.FAIL);
			s.actor("b").holds(5, 40, 2, 3000).releases(2200, 2210);
		}), good("no other holder has got it, so it was not lost", (s) -> {
			s.failover(20, 30);
			s.actor("a").holds(0, 10, 1, 1000).releases(900, 910);
			s.actor("b").asks(5).isRefused(890);
		}), good("a release was undone", (s) -> {
			s.failover(20, 30);
			s.actor("a").holds(0, 5, 1, 1000).releases(10, 15);
			s.actor("b").holds(12, 1145, 2, 2000).releases(1900, 1910);
		}), good("a reader with an old token, because the last writer is forgotten", (s) -> {
			s.failover(15, 35);
			s.actor("a").holds(0, 10, 5, 1000).releases(20, 30);
			s.reader("b").holds(40, 50, 4, 1000).releases(60, 70);
		}), good("the answer to the last writer came after the fail-over", (s) -> {
			s.failover(15, 35);
			s.actor("a").holds(0, 84, 5, 1000).releases(85, 86);
			s.reader("b").holds(90, 95, 4, 1000).releases(96, 97);
		}), good("a writer whose answer is late was forgotten before the reader came", (s) -> {
			s.loss(Script.KEY, 20, 25);
			s.actor("a").holds(0, 60, 1, 1000).isToldLost(70).releases(80, 90, Phase.FAIL);
			s.reader("b").holds(30, 50, 2, 1000).releases(100, 110);
		}), good("a permit whose answer is late was forgotten before the others were out", (s) -> {
			s.loss(Script.KEY, 20, 25);
			s.permits("a", 1, 1).holds(0, 60, 1, 1000).isToldLost(70).releases(80, 90, Phase.FAIL);
			s.permits("b", 1, 1).holds(30, 50, 2, 1000).releases(100, 110);
		}), good("a node is away", (s) -> {
			s.outageOf(Script.KEY, 0, 400);
			s.actor("b").holds(5, 565, 1, 1400).releases(900, 910);
		}), good("one of several may have it while it waits for the others", (s) -> {
			s.actor("a").asksInTurn(0).isRefused(300);
			s.actor("b").holds(5, 465, 1, 1400).releases(900, 910);
		}), good("one of several has it now and then", (s) -> {
			s.actor("a").asksInTurn(0).isRefused(900);
			s.actor("b").holds(5, 465, 1, 1400).releases(890, 900);
		}), good("the second one believed, then stopped, and is told as it runs again", (s) -> {
			s.failover(20, 30);
			s.stop("p-b", 45, 2000);
			s.actor("a").holds(0, 10, 1, 3000).releases(2200, 2210);
			s.actor("b").holds(5, 40, 2, 1000).isToldLost(2030).releases(2200, 2210, Phase.FAIL);
		}));
	}

	@ParameterizedTest
	@MethodSource("refused")
	void badHistoryOfSeveralNodesIsRefusedByItsRule(HistoryCase bad) {
		bad.check();
	}

	@ParameterizedTest
	@MethodSource("accepted")
	void goodHistoryOfSeveralNodesIsAccepted(HistoryCase good) {
		good.check();
	}

	@Test
	void lossAfterAFailoverIsSilentUntilItIsTold() {
		Script never = new Script().failover(20, 30).nothingUntil(800);
		never.actor("a").holds(0, 10, 1, 1000);
		never.actor("b").holds(5, 40, 2, 1000);
		assertThat(never.check().silentLosses()).isEqualTo(1);
		assertThat(never.check().doubleBeliefs()).isEqualTo(1);
	}

}

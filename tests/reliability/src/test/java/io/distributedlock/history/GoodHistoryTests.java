package io.distributedlock.history;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.history.Event.Phase;
import io.distributedlock.history.Quiescence.Counts;
import io.distributedlock.history.Quiescence.ServerKey;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Histories that come close to breaking a rule and must be accepted. */
class GoodHistoryTests {

	private static Case good(String name, Consumer<Script> script) {
		return new Case(name, script);
	}

	static Stream<Case> beliefs() {
		return Stream.of(good("one after the other", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).enters(12).exits(14).releases(20, 30);
			s.actor("b").holds(5, 40, 2, 1000).enters(42).exits(44).releases(50, 60);
		}), good("touching: got at the very moment of the release", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 30);
			s.actor("b").holds(5, 20, 2, 1000).releases(30, 40);
		}), good("touching: got as the validity ends", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(2000, 2010, Phase.FAIL);
			s.actor("b").holds(5, 1000, 2, 2000).releases(1100, 1110);
		}), good("touching: got as the loss is told", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(500, "SHUTDOWN").releases(600, 610, Phase.FAIL);
			s.actor("b").holds(5, 500, 2, 1500).releases(700, 710);
		}), good("handed on with a token of its own", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 20);
			s.actor("b").as("a").holds(15, 21, 2, 1000).releases(30, 40);
		}), good("entered again with the same token, and longer", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).enters(20).gets(30, 1, 1500).enters(31).exits(40, 50).releases(60, 70);
			s.actor("b").holds(5, 80, 2, 1500).releases(90, 100);
		}), good("a late renewal is no gap", (s) -> {
			s.actor("a").holds(0, 10, 1, 100).renews(90, 120, 1090).releases(200, 210);
			s.actor("b").holds(5, 220, 2, 1200).releases(230, 240);
		}), good("two locks at once", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(50, 60);
			s.actor("a", "other").as("a2").holds(20, 30, 1, 1000).releases(40, 45);
		}), good("a holder killed", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000);
			s.kill("p-a", 20, 30);
			s.actor("b").holds(5, 1100, 2, 2100).releases(1200, 1210);
		}), good("a process stopped past its validity", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).enters(20).exits(1500).isToldLost(1510).releases(1520, 1530, Phase.FAIL);
			s.stop("p-a", 30, 1490);
			s.actor("b").holds(5, 1100, 2, 2100).enters(1110).exits(1600).releases(1610, 1620);
		}), good("two believe after the store has forgotten", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(340).releases(350, 360, Phase.FAIL);
			s.loss(Script.KEY, 20, 30);
			s.actor("b").holds(5, 25, 2, 1020).releases(100, 110);
		}));
	}

	static Stream<Case> answers() {
		return Stream.of(good("answers in another order than tokens", (s) -> {
			s.actor("a").holds(0, 50, 1, 40).releases(60, 70);
			s.actor("b").holds(5, 20, 2, 1000).releases(30, 40);
		}), good("tokens with gaps, and a failed request between", (s) -> {
			s.actor("a").holds(0, 10, 100, 1000).releases(20, 30);
			s.actor("b").asks(5).isRefused(15);
			s.actor("c").holds(5, 40, 900, 1000).releases(50, 60);
		}), good("a request tried again", (s) -> {
			s.actor("a").asks(0).doesNotKnow(10).holds(20, 30, 1, 1000).releases(40, 50);
			s.actor("b").holds(5, 60, 2, 1000).releases(70, 80);
		}), good("an answer that comes twice", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).gets(15, 1, 1000).releases(40, 50);
		}), good("an unknown request, abandoned", (s) -> {
			s.actor("a").asks(0).doesNotKnow(10).abandons(20, 300);
			s.actor("b").holds(5, 400, 2, 1400).releases(410, 420);
		}), good("an unknown request that is not used against a holder", (s) -> {
			s.actor("a").asks(0).doesNotKnow(10);
			s.actor("b").holds(5, 20, 2, 1000).releases(30, 40);
		}), good("an unknown request, left to run out", (s) -> {
			s.actor("a").asks(0).doesNotKnow(10);
			s.actor("b").holds(5, 1150, 2, 2000).releases(1160, 1170);
		}), good("a release of unknown outcome, applied", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 70, Phase.INFO);
			s.actor("b").holds(5, 30, 2, 1000).releases(40, 50);
		}), good("a release of unknown outcome, not applied", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 70, Phase.INFO);
			s.actor("b").holds(5, 1100, 2, 2000).releases(1110, 1120);
		}), good("a renewal on its way as the lock is released", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 30).startsRenewal(99).isRenewed(110, 1100);
		}));
	}

	static Stream<Case> registers() {
		return Stream.of(good("a stale write refused", (s) -> {
			s.entered(10, 5).accepted(20, 5, 0, 1).entered(30, 6).refused(40, 5, 1, 2).accepted(50, 6, 1, 2);
		}), good("several writes of one holder", (s) -> s.accepted(20, 5, 0, 1).accepted(30, 5, 1, 2)),
				good("a write without answer, and one that did not arrive", (s) -> {
					s.actor("a").holds(0, 10, 5, 1000).writes(20, Phase.INVOKE).writes(30, Phase.INVOKE);
					s.kill("p-a", 40, 50);
					s.accepted(21, 5, 0, 1);
				}), good("an unfenced register that loses", (s) -> s.unfenced(10, 0, 1).unfenced(20, 0, 1)));
	}

	static Stream<Case> waits() {
		return Stream.of(good("a poll after a lost wake-up", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 30);
			s.actor("b").holds(5, 150, 2, 1150).releases(160, 170);
		}), good("a waiter that gives up in time", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 30);
			s.actor("b").asks(5).isRefused(100);
			s.nothingUntil(1000);
		}), good("a free lock that no caller wants", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 30);
			s.actor("b").holds(900, 910, 2, 1900).releases(920, 930);
		}), good("a holder killed while it renewed", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).startsRenewal(300);
			s.kill("p-a", 301, 310);
			s.actor("b").holds(15, 1450, 2, 2400).releases(1480, 1490);
		}), good("a process killed that may just have been granted it", (s) -> {
			s.actor("a").asks(0);
			s.kill("p-a", 10, 20);
			s.actor("b").holds(5, 1130, 2, 2100).releases(1140, 1150);
		}), good("a process stopped that may just have been granted it", (s) -> {
			s.actor("a").asks(0).isRefused(2000);
			s.stop("p-a", 10, 1990);
			s.actor("b").holds(5, 1170, 2, 2100).releases(1180, 1190);
		}), good("a waiter stopped", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 30);
			s.actor("b").holds(5, 900, 2, 1900).releases(910, 920);
			s.stop("p-b", 15, 800);
		}), good("a waiter killed", (s) -> {
			s.actor("b").asks(5);
			s.kill("p-b", 100, 110);
			s.nothingUntil(3000);
		}), good("a store that is away", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(20, 30);
			s.actor("b").holds(5, 900, 2, 1900).releases(910, 920);
			s.outage(Event.ALL, 25, 760);
		}), good("a refusal in an outage that was granted all the same", (s) -> {
			s.actor("a").asks(0).isRefused(110);
			s.outage("p-a", 0, 100);
			s.actor("b").holds(5, 1200, 2, 2100).releases(1210, 1220);
		}), good("a renewal that an outage held back", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).startsRenewal(300).isToldLost(1000);
			s.outage("p-a", 299, 1300);
			s.actor("b").holds(15, 2300, 2, 3300).releases(2310, 2320);
		}), good("an unknown request that an outage held back", (s) -> {
			s.actor("a").asks(0).doesNotKnow(50);
			s.outage("p-a", 0, 2000);
			s.actor("b").holds(15, 3100, 2, 4000).releases(3110, 3120);
		}), good("a lock kept after its release", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releasesButKeeps(20, 30, 500);
			s.actor("b").holds(15, 610, 2, 1500).releases(630, 640);
		}));
	}

	static Stream<Case> sharedLocks() {
		return Stream.of(good("readers together, then a writer", (s) -> {
			s.reader("r1").holds(0, 10, 0, 1000).releases(40, 50);
			s.reader("r2").holds(0, 20, 0, 1000).releases(60, 70);
			s.actor("w").holds(0, 80, 1, 1000).releases(90, 100);
			s.reader("r3").holds(0, 110, 1, 1000).releases(120, 130);
		}), good("a writer that goes on to read", (s) -> {
			Script.Actor writer = s.actor("w").holds(0, 10, 1, 1000);
			s.reader("w").holds(15, 20, 1, 1000).releases(50, 60);
			writer.releases(30, 40);
			s.reader("r").holds(15, 45, 1, 1000).releases(50, 60);
		}), good("readers who waited get their turn before the next writer", (s) -> {
			s.actor("w1").holds(0, 10, 1, 1000).releases(600, 605);
			s.actor("w2").holds(20, 700, 2, 1700).releases(710, 720);
			s.reader("r1").holds(400, 610, 1, 1600).releases(650, 660);
			s.reader("r2").holds(400, 611, 1, 1600).releases(650, 660);
		}), good("a reader after a writer whose caller had given up", (s) -> {
			s.actor("before").holds(0, 10, 1, 1000).releases(20, 30);
			s.reader("r0").holds(31, 40, 1, 1000).releases(500, 510);
			s.actor("w").holds(20, 530, 3, 1500).releases(540, 550);
			s.reader("r").holds(200, 210, 2, 1000).releases(510, 520);
		}), good("a reader who came just after the writer", (s) -> {
			s.reader("r").holds(0, 10, 0, 1000).releases(300, 310);
			s.actor("w").holds(20, 320, 1, 1300).releases(330, 340);
			s.reader("r2").holds(130, 200, 0, 1000).releases(300, 310);
		}), good("a semaphore that is full", (s) -> {
			s.permits("a", 2, 3).holds(0, 10, 0, 1000).releases(30, 40);
			s.permits("b", 1, 3).holds(0, 20, 0, 1000).releases(50, 60);
			s.permits("c", 2, 3).holds(0, 30, 0, 1000).releases(50, 60);
		}));
	}

	static Stream<Case> losses() {
		return Stream.of(good("told by the next renewal", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(427).releases(500, 510, Phase.FAIL);
			s.loss(Script.KEY, 20, 25);
		}), good("told as the validity ends", (s) -> {
			s.actor("a").holds(0, 10, 1, 100).isToldLost(119).releases(500, 510, Phase.FAIL);
			s.loss(Script.KEY, 20, 25);
		}), good("released before the loss was noticed", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(400, 410, Phase.FAIL);
			s.loss(Script.KEY, 20, 25);
		}), good("killed before it was told", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000);
			s.loss(Script.KEY, 20, 25);
			s.kill("p-a", 300, 310);
			s.nothingUntil(1500);
		}), good("stopped, and told when it runs again", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(1530).releases(1560, 1570, Phase.FAIL);
			s.loss(Script.KEY, 20, 25);
			s.stop("p-a", 22, 1500);
		}), good("cut off, and told as the validity ends", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(1015).releases(1560, 1570, Phase.FAIL);
			s.loss(Script.KEY, 20, 25);
			s.outage("p-a", 22, 1500);
		}), good("cut off for a while, and told by the first renewal after", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(600).releases(660, 670, Phase.FAIL);
			s.loss(Script.KEY, 20, 25);
			s.outage("p-a", 22, 200);
		}), good("another lock forgotten", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(800, 810);
			s.loss("other", 20, 25);
		}), good("got after the store had forgotten", (s) -> {
			s.loss(Script.KEY, 20, 40);
			s.actor("a").holds(10, 30, 1, 1000).releases(800, 810);
		}), good("cloned, and told by the renewal after that of the clone", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).isToldLost(300).releases(310, 320, Phase.FAIL);
			s.fault(NemesisKind.DOUBT, Script.KEY, Event.ALL, 20, 40);
			s.actor("b").asks(25).goesOnWith(30, 1, 1030).releases(400, 410);
			s.nothingUntil(1500);
		}), good("maybe forgotten, but not", (s) -> {
			s.actor("a").holds(0, 10, 1, 1000).releases(800, 810);
			s.fault(NemesisKind.DOUBT, Event.ALL, Event.ALL, 20, 25);
		}));
	}

	@ParameterizedTest
	@MethodSource({ "beliefs", "answers", "registers", "waits", "sharedLocks", "losses" })
	void goodHistoryWhenCheckedIsAccepted(Case good) {
		Script script = new Script();
		good.script.accept(script);
		Report report = script.check();
		assertThat(report.violationCount()).as(report.toString()).isZero();
		assertThat(report.silentLosses()).isZero();
	}

	@Test
	void nothingLeftButFreeLocksThatFadeIsAccepted() {
		Counts counts = new Counts(0, 2, 10, 0);
		Report report = new HistoryChecker(Script.BOUNDS).finish(new Quiescence(
				List.of(new ServerKey("lock:k", "hash", false, 60_000, 58_000, 60_000),
						new ServerKey("lock:%holders:{lock:k}", "zset", false, 5000, 3000, 60_000),
						new ServerKey("lock:set-back", "hash", false, 70_000, 68_000, 70_000)),
				counts, counts, Map.of(Script.KEY, 0L)));
		assertThat(report.violationCount()).as(report.toString()).isZero();
	}

	@Test
	void reportWhenManyThingsHappenCountsThem() {
		Script script = new Script().unfenced(10, 0, 1).unfenced(20, 0, 1).loss(Script.KEY, 20, 30).stop("p-x", 1, 2);
		script.actor("a").holds(0, 10, 1, 1000).renews(12, 13, 1010).isToldLost(340).releases(350, 360, Phase.FAIL);
		script.actor("b").holds(5, 25, 2, 1020).releases(100, 110);
		script.actor("c").holds(90, 160, 3, 1150).releases(170, 180);
		Report report = script.check();
		assertThat(report.violationCount()).as(report.toString()).isZero();
		assertThat(report.events()).isEqualTo(script.events.size());
		assertThat(report.acquisitions()).isEqualTo(3);
		assertThat(report.renewals()).isEqualTo(1);
		assertThat(report.faults()).containsOnly(Map.entry(NemesisKind.LOSS, 1L), Map.entry(NemesisKind.STOP, 1L));
		assertThat(report.lossesTold()).isEqualTo(1);
		assertThat(report.doubleBeliefs()).isEqualTo(2);
		assertThat(report.lostUpdates()).isEqualTo(1);
		assertThat(report.worstWait()).isEqualTo(Duration.ofMillis(70));
	}

	record Case(String name, Consumer<Script> script) {

		@Override
		public String toString() {
			return this.name;
		}

	}

}

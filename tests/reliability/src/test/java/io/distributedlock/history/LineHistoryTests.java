package io.distributedlock.history;

import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.distributedlock.history.HistoryCase.bad;
import static io.distributedlock.history.HistoryCase.good;
import static io.distributedlock.history.RuleName.C11_ORDER;
import static io.distributedlock.history.RuleName.C1_EXCLUSION;
import static io.distributedlock.history.RuleName.C4_BOUNDED_WAIT;
import static io.distributedlock.history.RuleName.C7_READ_WRITE;

/** Waiting in line for locks of every mode: who is next, and who need not wait. */
class LineHistoryTests {

	static Stream<HistoryCase> overtaken() {
		return Stream.of(bad("served before one that was in line", C11_ORDER, (s) -> {
			s.fair("w").isSent(0).isInLine(10, 400);
			s.fair("r").isSent(20).isServed(50);
		}), bad("served before one that is in line still", C11_ORDER, (s) -> {
			s.fair("w").isSent(0).isInLine(10, 100).isInLine(90, 200);
			s.fair("r").isSent(20).isInLine(30, 100).isServed(150);
		}), bad("a plain request served before a fair one", C11_ORDER, (s) -> {
			s.fair("w").isSent(0).isInLine(10, 400);
			s.actor("r").isSent(20).isServed(50);
		}), bad("another process is stopped", C11_ORDER, (s) -> {
			s.fair("w").isSent(0).isInLine(10, 400);
			s.stop("p-r", 12, 18);
			s.fair("r").isSent(20).isServed(50);
		}), bad("another lock is forgotten", C11_ORDER, (s) -> {
			s.fair("w").isSent(0).isInLine(10, 400);
			s.loss("other", 15, 18);
			s.fair("r").isSent(20).isServed(50);
		}), bad("it asked when the store had forgotten the line", C11_ORDER, (s) -> {
			s.fair("w").isSent(0).isInLine(16, 25, 400);
			s.loss(Script.KEY, 12, 15);
			s.fair("r").isSent(30).isServed(50);
		}), bad("it came too late, and was in line anew before", C11_ORDER, (s) -> {
			s.fair("w").isSent(0).isInLine(10, 50).isInLine(100, 400);
			s.fair("r").isSent(110).isServed(150);
		}), bad("a reader passed twice", C11_ORDER, (s) -> {
			s.reader("r").isSent(0).isInLine(10, 400);
			s.actor("a").isSent(20).isServed(50);
			s.actor("b").isSent(30).isServed(140);
		}));
	}

	static Stream<HistoryCase> served() {
		return Stream.of(good("first come, first served", (s) -> {
			s.fair("a").isSent(0).isInLine(10, 400).isServed(30);
			s.fair("b").isSent(20).isInLine(25, 400).isServed(50);
		}), good("asked before the other was in line", (s) -> {
			s.fair("w").isSent(0).isInLine(10, 400);
			s.fair("r").isSent(9).isServed(50);
		}), good("its word was good no longer", (s) -> {
			s.fair("w").isSent(0).isInLine(10, 50);
			s.fair("r").isSent(20).isServed(50);
		}), good("it came too late, and is at the end of the line", (s) -> {
			s.fair("w").isSent(0).isInLine(10, 50).isInLine(100, 400);
			s.fair("r").isSent(60).isServed(150);
		}), good("it has left", (s) -> {
			s.fair("w").isSent(0).isInLine(10, 400).leaves(49);
			s.fair("r").isSent(20).isServed(50);
		}), good("it is stopped, and may have been served", (s) -> {
			s.fair("w").isSent(0).isInLine(10, 400);
			s.stop("p-w", 12, 300);
			s.fair("r").isSent(20).isServed(50);
		}), good("it was killed", (s) -> {
			s.fair("w").isSent(0).isInLine(10, 400);
			s.kill("p-w", 12, 15);
			s.fair("r").isSent(20).isServed(50);
		}), good("the store has forgotten the line", (s) -> {
			s.fair("w").isSent(0).isInLine(10, 400);
			s.loss(Script.KEY, 12, 15);
			s.fair("r").isSent(20).isServed(50);
		}), good("the store has forgotten the line before its late answer was there", (s) -> {
			s.fair("w").isSent(0).isInLine(5, 25, 400);
			s.loss(Script.KEY, 12, 15);
			s.fair("r").isSent(30).isServed(50);
		}), good("readers may have their turn before", (s) -> {
			s.fair("w").isSent(0).isInLine(10, 400);
			s.reader("r").isSent(20).isServed(50);
		}), good("a reader passed twice at once", (s) -> {
			s.reader("r").isSent(0).isInLine(10, 400);
			s.actor("a").isSent(20).isServed(50);
			s.actor("b").isSent(30).isServed(130);
		}), good("a reader passed once", (s) -> {
			s.reader("r").isSent(0).isInLine(10, 400);
			s.actor("a").isSent(20).isServed(250);
		}));
	}

	static Stream<HistoryCase> kept() {
		return Stream.of(bad("two fair holders", C1_EXCLUSION, (s) -> {
			s.fair("a").holds(0, 10, 1, 1000).releases(30, 40);
			s.fair("b").holds(0, 20, 2, 1000).releases(50, 60);
		}), bad("a fair holder and a plain one", C1_EXCLUSION, (s) -> {
			s.fair("a").holds(0, 10, 1, 1000).releases(30, 40);
			s.actor("b").holds(0, 20, 2, 1000).releases(50, 60);
		}), bad("a reader beside a fair holder", C7_READ_WRITE, (s) -> {
			s.fair("a").holds(0, 10, 1, 1000).releases(30, 40);
			s.reader("b").holds(0, 20, 1, 1000).releases(50, 60);
		}), bad("a permit is free", C4_BOUNDED_WAIT, (s) -> {
			s.permits("a", 1, 2).holds(0, 10, 0, 1000).releases(900, 910);
			s.permits("b", 1, 2).asks(15).isRefused(140);
		}), bad("a permit was released", C4_BOUNDED_WAIT, (s) -> {
			s.permits("a", 1, 2).holds(0, 10, 0, 1000).releases(900, 910);
			s.permits("c", 1, 2).holds(0, 10, 0, 1000).releases(80, 100);
			s.permits("b", 1, 2).holds(15, 225, 0, 1000).releases(900, 910);
		}), bad("only readers read", C4_BOUNDED_WAIT, (s) -> {
			s.reader("a").holds(0, 10, 0, 1000).releases(900, 910);
			s.reader("b").asks(15).isRefused(140);
		}), bad("a writer who waits no longer", C4_BOUNDED_WAIT, (s) -> {
			s.reader("a").holds(0, 10, 0, 1000).releases(900, 910);
			s.actor("w").asks(12).isRefused(100);
			s.reader("b").holds(15, 275, 0, 1000).releases(900, 910);
		}), bad("one waits alone beside one of several", C4_BOUNDED_WAIT, (s) -> {
			s.actor("a").asksTogether(0).isRefused(900);
			s.actor("b").holds(5, 130, 1, 1000).releases(890, 900);
		}), bad("a process killed in line", C4_BOUNDED_WAIT, (s) -> {
			s.fair("w").asks(0);
			s.kill("p-w", 10, 20);
			s.fair("b").holds(15, 1145, 1, 2000).releases(1900, 1910);
		}));
	}

	static Stream<HistoryCase> allowed() {
		return Stream.of(good("all permits are out", (s) -> {
			s.permits("a", 1, 2).holds(0, 10, 0, 1000).releases(900, 910);
			s.permits("c", 1, 2).holds(0, 10, 0, 1000).releases(80, 100);
			s.permits("b", 1, 2).holds(15, 215, 0, 1000).releases(900, 910);
		}), good("permits of a killed process", (s) -> {
			s.permits("a", 1, 1).holds(0, 10, 0, 1000);
			s.kill("p-a", 20, 30);
			s.permits("b", 1, 1).holds(15, 1125, 0, 2000).releases(1900, 1910);
		}), good("a writer waits", (s) -> {
			s.reader("a").holds(0, 10, 0, 1000).releases(900, 910);
			s.actor("w").asks(12).isRefused(300);
			s.reader("b").holds(15, 465, 0, 1000).releases(900, 910);
		}), good("a writer waits still", (s) -> {
			s.reader("a").holds(0, 10, 0, 1000).releases(900, 910);
			s.actor("w").asks(12).isRefused(600);
			s.reader("b").holds(15, 465, 0, 1000).releases(900, 910);
		}), good("a writer who was killed as it waited", (s) -> {
			s.reader("a").holds(0, 10, 0, 2000).releases(1900, 1910);
			s.actor("w").asks(12);
			s.kill("p-w", 20, 30);
			s.reader("b").holds(15, 1140, 0, 2000).releases(1900, 1910);
		}), good("a writer who may have got it", (s) -> {
			s.reader("a").holds(0, 10, 0, 1000).releases(900, 910);
			s.actor("w").asks(12).doesNotKnow(100);
			s.reader("b").holds(15, 1260, 0, 2000).releases(1900, 1910);
		}), good("one of several waits for another lock", (s) -> {
			s.actor("a").asksTogether(0).isRefused(900);
			s.actor("b").asksTogether(0);
			s.nothingUntil(1000);
		}), good("the store may have forgotten that a writer waits", (s) -> {
			s.reader("r").holds(0, 10, 0, 1000).releases(500, 510);
			s.actor("w").holds(20, 530, 1, 1500).releases(540, 550);
			s.fault(NemesisKind.DOUBT, Script.KEY, Event.ALL, 190, 195);
			s.reader("new").holds(200, 210, 0, 1000).releases(510, 520);
		}), good("a reader has just come", (s) -> {
			s.reader("a").holds(0, 10, 0, 1000).releases(900, 910);
			s.reader("b").asks(15).isRefused(130);
		}), good("a process killed in line", (s) -> {
			s.fair("w").asks(0);
			s.kill("p-w", 10, 20);
			s.fair("b").holds(15, 1135, 1, 2000).releases(1900, 1910);
		}));
	}

	static Stream<HistoryCase> barging() {
		return Stream.of(bad("a reader who came after a writer was in line", C7_READ_WRITE, (s) -> {
			readersAround(s);
			s.actor("w").asks(20).isSent(21).isInLine(25, 600).isRefused(505);
		}), bad("a reader who came after a fair writer was in line", C7_READ_WRITE, (s) -> {
			readersAround(s);
			s.fair("w").asks(20).isSent(21).isInLine(25, 35).isInLine(34, 600).isRefused(505);
		}), bad("a reader who came when the writer before had left", C7_READ_WRITE, (s) -> {
			s.actor("x").holds(0, 10, 1, 1000).releases(30, 35);
			s.actor("w").asks(20).isSent(21).isInLine(25, 600).isRefused(60);
			s.reader("new").holds(40, 50, 1, 1000).releases(500, 510);
		}), bad("another request of its instance left before it asked", C7_READ_WRITE, (s) -> {
			readersAround(s);
			s.actor("x").as("0123456789abcdef-x").leaves(21);
			s.actor("w").as("0123456789abcdef-w").asks(20).isSent(22).isInLine(22, 25, 600).isRefused(505);
		}), bad("another instance left before the answer was there", C7_READ_WRITE, (s) -> {
			readersAround(s);
			s.actor("x").as("fedcba9876543210-x").leaves(23);
			s.actor("w").as("0123456789abcdef-w").asks(20).isSent(21).isInLine(22, 25, 600).isRefused(505);
		}), bad("another reader is stopped", C7_READ_WRITE, (s) -> {
			readersAround(s);
			s.stop("p-new", 22, 35);
			s.actor("w").asks(20).isSent(21).isInLine(25, 600).isRefused(505);
		}));
	}

	static Stream<HistoryCase> joining() {
		return Stream.of(good("a reader who came before the writer was in line", (s) -> {
			readersAround(s);
			s.actor("w").asks(20).isSent(21).isInLine(45, 600).isRefused(505);
		}), good("its word was good no longer", (s) -> {
			readersAround(s);
			s.actor("w").asks(20).isSent(21).isInLine(25, 49).isRefused(505);
		}), good("its word had a gap", (s) -> {
			readersAround(s);
			s.fair("w").asks(20).isSent(21).isInLine(25, 35).isInLine(45, 600).isRefused(505);
		}), good("it has left", (s) -> {
			readersAround(s);
			s.fair("w").asks(20).isSent(21).isInLine(25, 600).leaves(45).isRefused(505);
		}), good("another request of its instance left before the answer was there", (s) -> {
			readersAround(s);
			s.actor("w").as("0123456789abcdef-w").asks(20).isSent(21).isInLine(22, 25, 600).isRefused(505);
			s.actor("x").as("0123456789abcdef-x").leaves(23);
		}), good("it was served, and may have ended", (s) -> {
			readersAround(s);
			s.actor("w").asks(20).isSent(21).isInLine(25, 600).isServed(45).isRefused(505);
		}), good("it was killed", (s) -> {
			readersAround(s);
			s.actor("w").asks(20).isSent(21).isInLine(25, 600);
			s.kill("p-w", 44, 45);
		}), good("it is stopped", (s) -> {
			readersAround(s);
			s.stop("p-w", 44, 60);
			s.actor("w").asks(20).isSent(21).isInLine(25, 600).isRefused(505);
		}), good("the store may have forgotten that it was", (s) -> {
			readersAround(s);
			s.fault(NemesisKind.DOUBT, Script.KEY, Event.ALL, 44, 45);
			s.actor("w").asks(20).isSent(21).isInLine(25, 600).isRefused(505);
		}), good("the readers' turn after another writer", (s) -> {
			s.actor("x").holds(0, 10, 1, 1000).releases(45, 48);
			s.reader("r").holds(40, 50, 1, 1000).releases(500, 510);
			s.actor("w").asks(20).isSent(21).isInLine(25, 600).isRefused(505);
		}));
	}

	/** A reader that holds the lock, and one that joins at 50. */
	private static void readersAround(Script script) {
		script.reader("r").holds(0, 10, 0, 1000).releases(500, 510);
		script.reader("new").holds(40, 50, 0, 1000).releases(500, 510);
	}

	@ParameterizedTest
	@MethodSource({ "overtaken", "kept", "barging" })
	void badHistoryOfALineIsRefusedByItsRule(HistoryCase bad) {
		bad.check();
	}

	@ParameterizedTest
	@MethodSource({ "served", "allowed", "joining" })
	void goodHistoryOfALineIsAccepted(HistoryCase good) {
		good.check();
	}

}

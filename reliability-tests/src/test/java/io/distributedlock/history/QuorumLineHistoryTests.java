package io.distributedlock.history;

import java.util.stream.Stream;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.distributedlock.history.HistoryCase.bad;
import static io.distributedlock.history.HistoryCase.good;
import static io.distributedlock.history.RuleName.C11_ORDER;
import static io.distributedlock.history.RuleName.C7_READ_WRITE;

/**
 * Waiting in line where independent nodes decide by majority: who is next in the line of
 * a node, and who in that of all of them.
 */
class QuorumLineHistoryTests {

	private static final String HERE = "node-0";

	private static final String THERE = "node-1";

	static Stream<HistoryCase> overtaken() {
		return Stream.of(bad("a fair request served before one in line on the same node", C11_ORDER, (s) -> {
			s.fair("w").on(HERE).isSent(0).isInLine(10, 400);
			s.fair("r").on(HERE).isSent(20).isServed(50);
		}), bad("a plain request served on a node before a fair one there", C11_ORDER, (s) -> {
			s.fair("w").on(HERE).isSent(0).isInLine(10, 400);
			s.actor("r").on(HERE).isSent(20).isServed(50);
		}), bad("it asked as the other was served, and was not", C11_ORDER, (s) -> {
			s.fair("w").on(HERE).isSent(0).isInLine(10, 400).isSent(30).isInLine(60, 450);
			s.fair("r").on(HERE).isSent(20).isServed(50);
		}), bad("another node may have forgotten", C11_ORDER, (s) -> {
			s.fair("w").on(HERE).isSent(0).isInLine(10, 400);
			s.fault(NemesisKind.NODE, Event.ALL, THERE, 12, 15);
			s.fair("r").on(HERE).isSent(20).isServed(50);
		}), bad("it was let through before, and is in line anew", C11_ORDER, (s) -> {
			s.fair("w").on(HERE).isSent(0).isServed(10).isSent(20).isInLine(30, 400);
			s.fair("r").on(HERE).isSent(40).isServed(50);
		}), bad("a plain request served by all before a fair one that has told all", C11_ORDER, (s) -> {
			s.fair("w").isSent(0).isInLine(10, 400);
			s.actor("r").isSent(61).isServed(80);
		}), bad("a reader passed three times", C11_ORDER, (s) -> {
			s.reader("r").isSent(0).isInLine(10, 400);
			s.actor("a").isSent(20).isServed(50);
			s.actor("b").isSent(30).isServed(90);
			s.actor("c").isSent(40).isServed(140);
		}), bad("a starving writer", C7_READ_WRITE, (s) -> {
			s.reader("r").holds(0, 10, 0, 1000).releases(500, 510);
			s.actor("w").holds(20, 530, 1, 1500).releases(540, 550);
			s.reader("new").holds(200, 210, 0, 1000).releases(510, 520);
		}), bad("a starving writer, and a node may have forgotten", C7_READ_WRITE, (s) -> {
			s.reader("r").holds(0, 10, 0, 1000).releases(500, 510);
			s.actor("w").holds(20, 530, 1, 1500).releases(540, 550);
			s.fault(NemesisKind.NODE, Event.ALL, HERE, 190, 195);
			s.reader("new").holds(200, 210, 0, 1000).releases(510, 520);
		}));
	}

	static Stream<HistoryCase> served() {
		return Stream.of(good("they stand in the lines of two nodes", (s) -> {
			s.fair("w").on(HERE).isSent(0).isInLine(10, 400);
			s.fair("r").on(THERE).isSent(20).isServed(50);
		}), good("in another order than that of a node", (s) -> {
			s.fair("w").isSent(0).isInLine(10, 400);
			s.fair("r").isSent(100).isServed(150);
		}), good("a plain request that asked before all were told", (s) -> {
			s.fair("w").isSent(0).isInLine(10, 400);
			s.actor("r").isSent(59).isServed(80);
		}), good("it may have been served", (s) -> {
			s.fair("w").on(HERE).isSent(0).isInLine(10, 400).isSent(30);
			s.fair("r").on(HERE).isSent(20).isServed(50);
		}), good("it may have been served, and is in line anew", (s) -> {
			s.fair("w").on(HERE).isSent(0).isInLine(10, 400).isSent(30).isSent(60).isInLine(70, 450);
			s.fair("r").on(HERE).isSent(65).isServed(80);
		}), good("it asks again for what it has", (s) -> {
			s.fair("w").on(HERE).isSent(0).isServed(10).isSent(20).isServed(30);
			s.fair("r").on(HERE).isSent(11).isInLine(15, 400);
		}), good("it was let through", (s) -> {
			s.fair("w").on(HERE).isSent(0).isInLine(5, 400).isServed(10);
			s.fair("r").on(HERE).isSent(20).isServed(50);
		}), good("it has left", (s) -> {
			s.fair("w").on(HERE).isSent(0).isInLine(10, 400).leaves(15);
			s.fair("r").on(HERE).isSent(20).isServed(50);
		}), good("the node may have forgotten", (s) -> {
			s.fair("w").on(HERE).isSent(0).isInLine(10, 400);
			s.fault(NemesisKind.NODE, Event.ALL, HERE, 12, 15);
			s.fair("r").on(HERE).isSent(20).isServed(50);
		}), good("a reader passed twice", (s) -> {
			s.reader("r").isSent(0).isInLine(10, 400);
			s.actor("a").isSent(20).isServed(50);
			s.actor("b").isSent(30).isServed(140);
		}));
	}

	@ParameterizedTest
	@MethodSource("overtaken")
	void badHistoryOfNodesIsRefusedByItsRule(HistoryCase bad) {
		bad.checkOfQuorum();
	}

	@ParameterizedTest
	@MethodSource("served")
	void goodHistoryOfNodesIsAccepted(HistoryCase good) {
		good.checkOfQuorum();
	}

}

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

	static Stream<HistoryCase> barging() {
		return Stream.of(bad("a reader who came after all nodes knew of a writer", C7_READ_WRITE, (s) -> {
			readers(s, 80);
			s.actor("w").asks(20).isSent(21).isInLine(25, 600).isRefused(505);
		}), bad("its instance goes on with another request", C7_READ_WRITE, (s) -> {
			readers(s, 80);
			s.actor("0123456789abcdef-1").asks(20).isSent(21).isReplaced(25, 60).isRefused(505);
			s.actor("0123456789abcdef-2").isSent(50).isReplaced(55, 600);
		}), bad("a node may have forgotten", C7_READ_WRITE, (s) -> {
			readers(s, 80);
			s.fault(NemesisKind.NODE, Event.ALL, HERE, 50, 60);
			s.actor("w").asks(20).isSent(21).isInLine(25, 600).isRefused(505);
		}));
	}

	static Stream<HistoryCase> joining() {
		return Stream.of(good("a reader who came before all nodes knew", (s) -> {
			readers(s, 74);
			s.actor("w").asks(20).isSent(21).isInLine(25, 600).isRefused(505);
		}), good("its word had a gap before the next request", (s) -> {
			readers(s, 80);
			s.actor("0123456789abcdef-1").asks(20).isSent(21).isReplaced(25, 50).isRefused(505);
			s.actor("0123456789abcdef-2").isSent(50).isReplaced(55, 600);
		}), good("another instance", (s) -> {
			readers(s, 80);
			s.actor("0123456789abcdef-1").asks(20).isSent(21).isReplaced(25, 60).isRefused(505);
			s.actor("0123456789abcdee-2").isSent(50).isReplaced(55, 600);
		}));
	}

	/** A reader that holds the lock, and one that asks to join. */
	private static void readers(Script script, long asked) {
		script.reader("r").holds(0, 10, 0, 1000).releases(500, 510);
		script.reader("new").holds(asked, asked + 10, 0, 1000).releases(500, 510);
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
	@MethodSource({ "overtaken", "barging" })
	void badHistoryOfNodesIsRefusedByItsRule(HistoryCase bad) {
		bad.checkOfQuorum();
	}

	@ParameterizedTest
	@MethodSource({ "served", "joining" })
	void goodHistoryOfNodesIsAccepted(HistoryCase good) {
		good.checkOfQuorum();
	}

}

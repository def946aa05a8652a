package io.distributedlock.history;

import java.util.EnumSet;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.distributedlock.history.Event.Phase;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.distributedlock.history.HistoryCase.bad;
import static io.distributedlock.history.HistoryCase.good;
import static io.distributedlock.history.RuleName.C10_DETECTION;
import static io.distributedlock.history.RuleName.C1_EXCLUSION;
import static io.distributedlock.history.RuleName.C2_TOKEN_ORDER;

/**
 * A process hands a lock on among its callers, for 10 ms after it has asked the store for
 * it, while the store forgets the lock and gives another process a larger token.
 */
class TurnHistoryTests {

	private static HistoryCase refused(String name, Consumer<Script> script) {
		return new HistoryCase(name, EnumSet.of(C1_EXCLUSION, C2_TOKEN_ORDER), script);
	}

	/** Asks for a turn at 5 with the tokens 101 to 108, and has the lock to 13. */
	private static void turn(Script s) {
		s.actor("a").hasTurn(5, 6, 100, 108).holds(0, 7, 100, 1000).releases(13, 13);
	}

	/** Has the lock from 11 on, and is known by then. */
	private static void other(Script s) {
		s.actor("x").holds(10, 11, 200, 1000).releases(500, 510);
	}

	private static Script.Actor handedOn(Script s, long asked, long token) {
		return s.actor("b").beside("a").as("a").holds(asked, 14 + Math.max(0, asked - 13), token, 1000);
	}

	private static void told(Script.Actor holder) {
		holder.isToldLost(340, "NOT_OWNER").releases(350, 360, Phase.FAIL);
	}

	static Stream<HistoryCase> histories() {
		return Stream.of(good("the store has forgotten the turn", (s) -> {
			turn(s);
			s.loss(Script.KEY, 8, 9);
			other(s);
			told(handedOn(s, 12, 101));
		}), good("the last moment of the turn, and its last token", (s) -> {
			turn(s);
			s.loss(Script.KEY, 8, 9);
			other(s);
			told(handedOn(s, 15, 108));
		}), good("a fail-over lasts", (s) -> {
			turn(s);
			s.failover(2, 30);
			other(s);
			told(handedOn(s, 12, 101));
		}), good("the process stands still as the lock is handed on", (s) -> {
			turn(s);
			s.loss(Script.KEY, 8, 9);
			s.stop("p-a", 13, 700);
			other(s);
			s.actor("b")
				.beside("a")
				.as("a")
				.asks(12)
				.gets(705, 101, 1000)
				.isToldLost(710, "NOT_OWNER")
				.releases(711, 712, Phase.FAIL);
		}), bad("it is never told of the loss", C10_DETECTION, (s) -> {
			turn(s);
			s.loss(Script.KEY, 8, 9);
			s.actor("x").holds(10, 11, 200, 1000).releases(900, 910);
			handedOn(s, 12, 101).releases(900, 910);
		}), bad("two have the same token of a turn", C2_TOKEN_ORDER, (s) -> {
			turn(s);
			handedOn(s, 12, 101).releases(20, 20);
			s.actor("c").beside("a").holds(13, 21, 101, 1000).releases(30, 40);
		}));
	}

	static Stream<HistoryCase> withoutExcuse() {
		return Stream.of(refused("there was no fault", (s) -> {
			turn(s);
			other(s);
			handedOn(s, 12, 101).releases(30, 40);
		}), refused("the fault was before the turn", (s) -> {
			turn(s);
			s.loss(Script.KEY, 2, 3);
			other(s);
			handedOn(s, 12, 101).releases(30, 40);
		}), refused("the fault was after the larger token", (s) -> {
			turn(s);
			told(s.actor("x").holds(10, 11, 200, 1000));
			s.loss(Script.KEY, 12, 12);
			handedOn(s, 12, 101).releases(30, 40);
		}), refused("the fault struck another lock", (s) -> {
			turn(s);
			s.loss("other", 8, 9);
			other(s);
			handedOn(s, 12, 101).releases(30, 40);
		}), refused("the call came after the turn", (s) -> {
			turn(s);
			s.loss(Script.KEY, 8, 9);
			other(s);
			handedOn(s, 16, 101).releases(30, 40);
		}), refused("the token is not of the turn", (s) -> {
			turn(s);
			s.loss(Script.KEY, 8, 9);
			other(s);
			handedOn(s, 12, 109).releases(30, 40);
		}), refused("the token is that of the turn itself", (s) -> {
			s.actor("a").hasTurn(5, 6, 101, 108);
			s.loss(Script.KEY, 8, 9);
			other(s);
			handedOn(s, 12, 101).releases(30, 40);
		}), refused("the turn is that of another process", (s) -> {
			turn(s);
			s.loss(Script.KEY, 8, 9);
			other(s);
			s.actor("b").holds(12, 14, 101, 1000).releases(30, 40);
		}), refused("a larger token was known before the turn", (s) -> {
			turn(s);
			s.loss(Script.KEY, 1, 2);
			s.actor("x").holds(0, 3, 200, 1000).releases(4, 4);
			handedOn(s, 12, 101).releases(30, 40);
		}));
	}

	@ParameterizedTest
	@MethodSource({ "histories", "withoutExcuse" })
	void turnExcusesOlderTokensOnlyWhereTheStoreHasForgottenIt(HistoryCase history) {
		history.check();
	}

}

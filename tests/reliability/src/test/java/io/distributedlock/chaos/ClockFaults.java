package io.distributedlock.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Random;

import io.distributedlock.history.Event;
import io.distributedlock.history.Fault;
import io.distributedlock.history.NemesisKind;

/** Clocks that are set, of the server and of all clients. */
final class ClockFaults {

	static final List<Nemesis> ALL = List.of(new Nemesis("server-clock-forward", ClockFaults::serverForward),
			new Nemesis("server-clock-back", ClockFaults::serverBack),
			new Nemesis("client-clocks-set", ClockFaults::clients));

	private ClockFaults() {
	}

	/** Longer than any lease, so whatever was held has run out for the server. */
	private static Duration leap(Random random) {
		return ChaosSettings.LONGEST_TTL.plus(ProcessFaults.upTo(random, 20_000));
	}

	private static void serverForward(Arena arena, Random random) {
		try (Fault loss = arena.fault(NemesisKind.LOSS, Event.ALL, "server-clock-forward")) {
			arena.serverClock().step(leap(random));
		}
	}

	/**
	 * Set the clock back, and later forward again, as an operator would correct it. The
	 * correction ends leases that were granted or renewed in between, and no others.
	 */
	private static void serverBack(Arena arena, Random random) throws InterruptedException {
		Duration leap = leap(random);
		try (Fault noise = arena.fault(NemesisKind.NOISE, "server-clock-back")) {
			arena.serverClock().step(leap.negated());
			arena.lasts(ProcessFaults.upTo(random, 3000));
		}
		try (Fault doubt = arena.fault(NemesisKind.DOUBT, Event.ALL, "")) {
			arena.serverClock().step(leap);
		}
	}

	private static void clients(Arena arena, Random random) {
		try (Fault noise = arena.fault(NemesisKind.NOISE, "client-clocks-set")) {
			arena.stepClients(Duration.ofSeconds(random.nextInt(20_000) - 10_000));
		}
	}

}

package io.distributedlock.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.history.Quiescence;

/** What is left on the servers when all workers have finished and every lease is over. */
final class Aftermath {

	/** The type of a key that there is not. */
	private static final String GONE = "none";

	/** What a server was late to read is done after its sender has ended. */
	private static final Duration LATENESS = Duration.ofSeconds(3);

	/** The life of a key that there is not. */
	private static final long FADED = -2;

	private final Arena arena;

	private final Duration retention;

	Aftermath(Arena arena, Duration retention) {
		this.arena = arena;
		this.retention = retention;
	}

	Quiescence look(Quiescence.Counts counts, int threads) throws Exception {
		passes(ChaosSettings.LONGEST_TTL.plus(ChaosSettings.COMMAND_TIMEOUT).plus(LATENESS));
		Map<ServerAdmin, Map<String, Long>> lives = new LinkedHashMap<>();
		this.arena.topology().admins().forEach((admin) -> lives.put(admin, lives(admin, admin.keys())));
		passes(ChaosSettings.LONGEST_TTL);
		List<Quiescence.ServerKey> keys = new ArrayList<>();
		lives.forEach((admin, before) -> keys.addAll(keys(admin, before)));
		return new Quiescence(keys, counts, this.arena.counts(threads), this.retention.toMillis(),
				this.arena.registers());
	}

	private List<Quiescence.ServerKey> keys(ServerAdmin admin, Map<String, Long> before) {
		Map<String, Long> later = lives(admin, before.keySet());
		List<Quiescence.ServerKey> keys = new ArrayList<>();
		before.forEach((name, life) -> {
			String type = admin.commands().type(name);
			// One whose time came between the two looks is not left.
			if (!type.equals(GONE)) {
				keys.add(new Quiescence.ServerKey(name, type, admin.isOwned(name, this.arena.topology().shift(admin)),
						life, later.get(name)));
			}
		});
		return keys;
	}

	private static Map<String, Long> lives(ServerAdmin admin, Collection<String> names) {
		Map<String, Long> lives = new HashMap<>();
		names.forEach((name) -> lives.put(name, life(admin.commands().pttl(name))));
		return lives;
	}

	/** Less than zero if it never fades. */
	private static long life(long pttl) {
		return (pttl == FADED) ? 0 : pttl;
	}

	/** The time itself is what is waited for. */
	private static void passes(Duration time) throws InterruptedException {
		new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
	}

}

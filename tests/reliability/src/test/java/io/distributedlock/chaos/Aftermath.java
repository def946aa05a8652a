package io.distributedlock.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.faults.ServerClock;
import io.distributedlock.history.Quiescence;
import org.jspecify.annotations.Nullable;

/** Looks at the servers when all workers have finished and every lease is over. */
final class Aftermath {

	/** How often connections are counted, 100 ms apart, before they are left. */
	private static final int LOOKS = 50;

	private final Arena arena;

	private final Duration retention;

	Aftermath(Arena arena, Duration retention) {
		this.arena = arena;
		this.retention = retention;
	}

	Quiescence look(Quiescence.Counts counts, int threads) throws Exception {
		// Whatever was sent to a server before has come to its turn when this is
		// answered.
		this.arena.topology().stores().forEach(StoreAdmin::awaitAnswer);
		passes(ChaosSettings.LONGEST_USE.plus(ChaosSettings.COMMAND_TIMEOUT));
		List<Look> looks = this.arena.topology().stores().stream().map(this::look).toList();
		passes(ChaosSettings.LONGEST_TTL);
		List<Quiescence.ServerKey> keys = new ArrayList<>();
		looks.forEach((look) -> keys.addAll(keys(look)));
		return new Quiescence(keys, counts, settled(counts, threads), this.arena.registers());
	}

	/** A server that stood still learns late which clients are gone; leaked ones stay. */
	private Quiescence.Counts settled(Quiescence.Counts before, int threads) throws InterruptedException {
		Quiescence.Counts counts = this.arena.counts(threads);
		for (int i = 0; i < LOOKS && isMore(counts, before); i++) {
			passes(Duration.ofMillis(100));
			counts = this.arena.counts(threads);
		}
		return counts;
	}

	private static boolean isMore(Quiescence.Counts counts, Quiescence.Counts before) {
		return counts.channels() > before.channels() || counts.clients() > before.clients();
	}

	private Look look(StoreAdmin admin) {
		long longest = longestLife(this.arena.topology().clock(admin)).toMillis();
		return new Look(admin, longest, lives(admin, admin.keys()));
	}

	/** A server whose clock goes back keeps unused keys for longer. */
	private Duration longestLife(@Nullable ServerClock clock) {
		return (clock != null) ? clock.longestLife(this.retention.plus(ChaosSettings.LONGEST_USE), this.retention)
				: this.retention;
	}

	private List<Quiescence.ServerKey> keys(Look before) {
		StoreAdmin admin = before.admin;
		Duration shift = this.arena.topology().shift(admin);
		Map<String, Long> later = lives(admin, before.lives.keySet());
		List<Quiescence.ServerKey> keys = new ArrayList<>();
		before.lives.forEach((name, life) -> {
			String type = admin.type(name);
			// A key that expired between the two looks is not left.
			if (!type.equals(StoreAdmin.GONE)) {
				boolean owned = admin.isTaken(name, type, shift);
				keys.add(new Quiescence.ServerKey(name, type, owned, life, later.get(name), before.longest));
			}
		});
		return keys;
	}

	private static Map<String, Long> lives(StoreAdmin admin, Collection<String> names) {
		Map<String, Long> lives = new HashMap<>();
		names.forEach((name) -> lives.put(name, admin.life(name)));
		return lives;
	}

	/** Wait for nothing but the time itself. */
	private static void passes(Duration time) throws InterruptedException {
		new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
	}

	/**
	 * The keys of a server.
	 *
	 * @param admin the server
	 * @param longest how long a key may live there, in milliseconds
	 * @param lives how long each key does
	 */
	private record Look(StoreAdmin admin, long longest, Map<String, Long> lives) {
	}

}

package io.distributedlock.chaos;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.history.Quiescence;
import io.lettuce.core.api.sync.RedisCommands;

/** What is left on the server when all workers have finished and every lease is over. */
final class Aftermath {

	private final Arena arena;

	private final Duration retention;

	Aftermath(Arena arena, Duration retention) {
		this.arena = arena;
		this.retention = retention;
	}

	Quiescence look(Quiescence.Counts before, int threads) throws Exception {
		passes(ChaosSettings.LONGEST_TTL.plus(ChaosSettings.COMMAND_TIMEOUT));
		List<String> names = this.arena.admin().keys();
		Map<String, Long> lives = lives(names);
		passes(ChaosSettings.LONGEST_TTL.multipliedBy(2));
		Map<String, Long> later = lives(names);
		List<Quiescence.ServerKey> keys = new ArrayList<>();
		for (String name : names) {
			keys.add(new Quiescence.ServerKey(name, this.arena.admin().commands().type(name),
					this.arena.admin().isOwned(name), lives.get(name), later.get(name)));
		}
		return new Quiescence(keys, before, this.arena.counts(threads), this.retention.toMillis(),
				this.arena.registers());
	}

	private Map<String, Long> lives(List<String> names) {
		RedisCommands<String, String> server = this.arena.admin().commands();
		Map<String, Long> lives = new HashMap<>();
		names.forEach((name) -> lives.put(name, Math.max(server.pttl(name), 0)));
		return lives;
	}

	/** The time itself is what is waited for. */
	private static void passes(Duration time) throws InterruptedException {
		new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
	}

}

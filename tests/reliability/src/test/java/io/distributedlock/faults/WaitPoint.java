package io.distributedlock.faults;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.lettuce.core.api.sync.RedisCommands;

/** The places at which a caller may be interrupted or cancelled. */
enum WaitPoint {

	/**
	 * The lock is free: before the command is sent, or while its answer is on the way.
	 */
	FREE,

	/** In the queue of its own instance. */
	LOCAL_QUEUE,

	/** Behind another instance: waiting for a wake-up, or attempting again. */
	ELSEWHERE,

	/** The server refuses: in the pause before the next try. */
	BACK_OFF,

	/** The server is stopped: for an answer that does not come, nor for the abandon. */
	NO_ANSWER;

	static final Duration TTL = Duration.ofMillis(1500);

	private static final Duration LONG = Duration.ofSeconds(60);

	private static final LockRequest HELD = LockRequest.of("held").ttl(LONG);

	/** The keys for which a caller asks in turn. */
	List<String> keys() {
		return (this == LOCAL_QUEUE || this == ELSEWHERE) ? List.of("held") : List.of("a", "b", "c");
	}

	/** Return whether a caller can get the lock before it is interrupted. */
	boolean letsIn() {
		return this == FREE;
	}

	/** Let a random time pass between the call and the fault. */
	void pause(Random random) {
		if (this == FREE) {
			// An answer takes about as long as parking and unparking a thread.
			long end = System.nanoTime() + random.nextInt(200_000);
			while (System.nanoTime() < end) {
				Thread.onSpinWait();
			}
		}
		else {
			LockSupport.parkNanos(random.nextInt(2_000_000));
		}
	}

	/**
	 * Put callers of the first instance into this place.
	 * @return the action that ends this state
	 */
	Runnable begin(FaultyRedis redis, RedisCommands<String, String> admin, DefaultLockRegistry here,
			DefaultLockRegistry there) {
		// Connected, and every script known.
		here.acquire(LockRequest.of("held")).close();
		List<Lease> held = new ArrayList<>();
		switch (this) {
			case FREE -> {
			}
			case LOCAL_QUEUE -> held.add(here.acquire(HELD));
			case ELSEWHERE -> held.add(there.acquire(HELD));
			case BACK_OFF -> admin.configSet("min-replicas-to-write", "1");
			case NO_ANSWER -> redis.server.pause();
		}
		return () -> {
			held.forEach(Lease::close);
			if (this == NO_ANSWER) {
				redis.server.resume();
			}
			admin.configSet("min-replicas-to-write", "0");
		};
	}

}

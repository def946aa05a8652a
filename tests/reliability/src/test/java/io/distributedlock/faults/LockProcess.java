package io.distributedlock.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.Lease;
import io.distributedlock.LockMode;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.event.LockEvent;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;

/**
 * An instance of an application in a process of its own, which acquires and releases
 * locks on command.
 */
final class LockProcess extends OtherProcess {

	LockProcess(RedisServer server, List<String> jvmOptions) throws IOException {
		super(jvmOptions, LockProcess.class, server.host(), Integer.toString(server.port()));
	}

	/** Take a lock, which is then renewed, and return its token. */
	long acquire(String key, Duration ttl, Duration waitFor) throws IOException {
		return token(tryAcquire(key, ttl, waitFor));
	}

	/** Take a lock of any kind; permits count for semaphores only. */
	long acquire(String key, LockMode mode, int permits, Duration ttl, Duration waitFor) throws IOException {
		beginAcquire(key, mode, permits, ttl, waitFor);
		return token(acquired());
	}

	private static long token(String answer) {
		try {
			return Long.parseLong(answer);
		}
		catch (NumberFormatException ex) {
			throw new IllegalStateException(answer, ex);
		}
	}

	/** Acquire a lock and return its token, or the name of the exception. */
	String tryAcquire(String key, Duration ttl, Duration waitFor) throws IOException {
		beginAcquire(key, ttl, waitFor);
		return acquired();
	}

	void beginAcquire(String key, Duration ttl, Duration waitFor) throws IOException {
		beginAcquire(key, LockMode.EXCLUSIVE, 1, ttl, waitFor);
	}

	void beginAcquire(String key, LockMode mode, int permits, Duration ttl, Duration waitFor) throws IOException {
		send("acquire " + key + " " + ttl + " " + waitFor + " " + mode + " " + permits);
	}

	String acquired() throws IOException {
		return answer("acquired ");
	}

	String release(String key) throws IOException {
		send("release " + key);
		return answer("released ");
	}

	boolean isHeld(String key) throws IOException {
		return !remaining(key).isZero();
	}

	Duration remaining(String key) throws IOException {
		send("remaining " + key);
		return Duration.parse(answer("remaining "));
	}

	void awaitRenewal(String key) {
		Renewal.awaitNext(() -> remaining(key));
	}

	/** The reason why a lease was lost, or nothing. */
	String loss(String key) throws IOException {
		send("loss " + key);
		return answer("loss ");
	}

	/** The current time in the process, by each way to ask for it. */
	List<Instant> clocks() throws IOException {
		send("clocks");
		return Stream.of(answer("clocks ").split(" ")).map(Instant::parse).toList();
	}

	/** Wait until a point in time, as the wall clock has it; how long that took. */
	Duration waitUntil(Duration fromNow) throws IOException {
		send("wait " + fromNow);
		return Duration.parse(answer("waited "));
	}

	public static void main(String[] args) throws IOException {
		PrintStream out = System.out;
		System.setOut(System.err);
		Map<String, String> losses = new ConcurrentHashMap<>();
		RedisLockStore store = new RedisLockStore(Driver.LETTUCE.connect(args[0], Integer.parseInt(args[1])),
				RedisStoreSettings.DEFAULTS);
		DefaultLockRegistry registry = new DefaultLockRegistry(store, LockProfiles.DEFAULTS, EngineSettings.DEFAULTS,
				(event) -> {
					if (event instanceof LockEvent.Lost lost) {
						losses.put(lost.key(), lost.reason().name());
					}
				});
		Session session = new Session(registry, losses);
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String line = in.readLine(); line != null; line = in.readLine()) {
			out.println(session.answer(line.split(" ")));
		}
		Runtime.getRuntime().halt(0);
	}

	/** The side of the process: its answers to the commands. */
	private record Session(DefaultLockRegistry registry, Map<String, String> losses, Map<String, Lease> leases) {

		Session(DefaultLockRegistry registry, Map<String, String> losses) {
			this(registry, losses, new HashMap<>());
		}

		String answer(String[] words) {
			return switch (words[0]) {
				case "acquire" -> "acquired " + acquire(words[1], request(words));
				case "release" -> "released " + release(words[1]);
				case "remaining" -> "remaining " + this.leases.get(words[1]).remaining();
				case "loss" -> "loss " + this.losses.getOrDefault(words[1], "");
				case "clocks" -> "clocks " + clocks();
				case "wait" -> "waited " + waitUntil(Duration.parse(words[1]));
				default -> throw new IllegalArgumentException(words[0]);
			};
		}

		private static String clocks() {
			LongSupplier reference = System::currentTimeMillis;
			return Stream
				.of(Instant.now(), Instant.ofEpochMilli(System.currentTimeMillis()), new Date().toInstant(),
						Instant.ofEpochMilli(reference.getAsLong()))
				.map(Instant::toString)
				.collect(Collectors.joining(" "));
		}

		private static Duration waitUntil(Duration fromNow) {
			// A permit left by an earlier wake-up would end the wait at once.
			LockSupport.parkNanos(1);
			long start = System.nanoTime();
			LockSupport.parkUntil(System.currentTimeMillis() + fromNow.toMillis());
			return Duration.ofNanos(System.nanoTime() - start);
		}

		private static LockRequest request(String[] words) {
			LockRequest request = LockRequest.of(words[1])
				.ttl(Duration.parse(words[2]))
				.waitFor(Duration.parse(words[3]));
			LockMode mode = LockMode.valueOf(words[4]);
			return (mode == LockMode.SEMAPHORE) ? request.permits(Integer.parseInt(words[5])) : request.mode(mode);
		}

		private String acquire(String key, LockRequest request) {
			try {
				Lease lease = this.registry.acquire(request);
				this.leases.put(key, lease);
				return Long.toString(lease.fencingToken());
			}
			catch (RuntimeException ex) {
				return ex.getClass().getSimpleName();
			}
		}

		private String release(String key) {
			try {
				this.leases.get(key).close();
				return "";
			}
			catch (RuntimeException ex) {
				return ex.getClass().getSimpleName();
			}
		}

	}

}

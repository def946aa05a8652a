package io.distributedlock.limits;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.faults.OtherProcess;

import static org.assertj.core.api.Assertions.assertThat;

/** The bounds that hold whatever the size of the run. */
final class Limits {

	/**
	 * All that is reachable: with the name of the lock, of ten characters, which the
	 * caller does not keep, and a share of the tables of the engine and of this test.
	 */
	static final long BYTES_PER_LOCK = 345;

	/** In a second, for renewals of leases of nine seconds. */
	static final long SCRIPTS_PER_10_000_LOCKS = 11;

	/** Includes the request and the futures of its caller. */
	static final long BYTES_PER_WAITER = 1_000;

	/** Threads of an instance, once those that bring news to callers had time to go. */
	static final long THREADS = 3;

	/** The time for the other work of a process. */
	private static final Duration PATIENCE = Duration.ofMinutes(3);

	private Limits() {
	}

	/** A renewal that comes after half of the lease was not the first try. */
	static Figures renewLocks(int locks, Duration ttl, Duration duration) throws Exception {
		Figures figures = run(HoldingProcess.class, locks, duration, Long.toString(ttl.toMillis()));
		long half = ttl.dividedBy(2).toMillis();
		assertThat(figures.get("leastMillisLeft")).as(figures.toString()).isGreaterThan(half);
		assertThat(figures.get("renewalsFailed") + figures.get("lost")).as(figures.toString()).isZero();
		assertThat(figures.get("scriptsPerSecond")).as(figures.toString())
			.isLessThanOrEqualTo(scriptsPerSecond(ttl) * ((locks + 9_999) / 10_000));
		return figures;
	}

	/** For 10,000 locks: longer leases are renewed less often. */
	private static long scriptsPerSecond(Duration ttl) {
		long seconds = ttl.toSeconds();
		return (9 * SCRIPTS_PER_10_000_LOCKS + seconds - 1) / seconds;
	}

	static Figures holdLocks(int locks, Duration ttl, Duration duration) throws Exception {
		Figures figures = renewLocks(locks, ttl, duration);
		assertThat(figures.get("threads")).as(figures.toString()).isBetween(1L, THREADS);
		assertThat(figures.get("bytesPerLock")).as(figures.toString()).isBetween(100L, BYTES_PER_LOCK);
		assertThat(figures.get("engineObjectsAfterwards")).as(figures.toString()).isZero();
		return figures;
	}

	/**
	 * Without hand-offs a grant is an acquire and a release; with them it is less than
	 * half of these.
	 */
	static Figures queueUp(int waiters) throws Exception {
		Figures figures = run(QueueingProcess.class, waiters, Duration.ZERO);
		assertThat(figures.get("outOfOrder")).as(figures.toString()).isZero();
		assertThat(figures.get("bytesPerWaiter")).as(figures.toString()).isBetween(100L, BYTES_PER_WAITER);
		assertThat(figures.get("threadsWhileWaiting")).as(figures.toString()).isBetween(1L, THREADS);
		assertThat(figures.get("scriptsPerThousandGrants")).as(figures.toString()).isBetween(1L, 1000L);
		assertThat(figures.get("scriptsPerThousandGrantsOfTwo")).as(figures.toString()).isBetween(1L, 1000L);
		assertThat(figures.get("scriptsPerThousandThreads")).as(figures.toString()).isBetween(1L, 1000L);
		assertThat(figures.get("threadsServed")).as(figures.toString()).isEqualTo(QueueingProcess.BLOCKING_THREADS);
		assertThat(figures.get("timedOut")).as(figures.toString()).isEqualTo(waiters);
		assertThat(figures.get("timedOutLateMillis")).as(figures.toString()).isLessThan(2000);
		assertThat(figures.get("scriptsInAllToTimeOut")).as(figures.toString()).isBetween(1L, 10L);
		assertThat(figures.get("engineObjectsAfterwards")).as(figures.toString()).isZero();
		return figures;
	}

	static Figures comeAndGo(int keys, Duration duration) throws Exception {
		Figures figures = run(ComingAndGoingProcess.class, keys, duration);
		assertThat(figures.get("served")).as(figures.toString()).isGreaterThan(keys);
		assertThat(figures.get("keysGoneAfterMillis")).as(figures.toString())
			.isLessThan(ComingAndGoingProcess.RETENTION.plusSeconds(2).toMillis());
		assertThat(figures.get("engineObjects")).as(figures.toString()).isZero();
		assertThat(figures.get("channels")).as(figures.toString()).isEqualTo(2);
		assertThat(figures.get("threadsOfTwo")).as(figures.toString()).isBetween(2L, 2 * THREADS);
		assertThat(figures.get("threadsWhenClosed") + figures.get("channelsWhenClosed") + figures.get("keysWhenClosed"))
			.as(figures.toString())
			.isZero();
		return figures;
	}

	private static Figures run(Class<?> process, int size, Duration duration, String... more) throws Exception {
		List<String> arguments = new ArrayList<>();
		try (RedisServer server = RedisServers.start()) {
			arguments.addAll(List.of(server.host(), Integer.toString(server.port())));
			arguments.addAll(List.of(Integer.toString(size), Long.toString(duration.toMillis())));
			arguments.addAll(List.of(more));
			try (OtherProcess other = new OtherProcess(process, arguments.toArray(String[]::new))) {
				return Figures.read(other.answer(Figures.BEGINNING, duration.plus(PATIENCE)));
			}
		}
	}

}

package io.distributedlock.limits;

import java.time.Duration;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.faults.OtherProcess;

import static org.assertj.core.api.Assertions.assertThat;

/** The bounds that hold whatever the size of the run. */
final class Limits {

	/** With the lock's name, of ten characters, which the caller does not keep. */
	static final long BYTES_PER_LOCK = 400;

	/** While nothing but renewal happens. */
	static final long THREADS = 3;

	private Limits() {
	}

	/** A renewal that comes after half of the lease was not the first try. */
	static Figures holdLocks(int locks, Duration duration) throws Exception {
		Figures figures = run(HoldingProcess.class, locks, duration);
		assertThat(figures.get("leastMillisLeft")).as(figures.toString())
			.isGreaterThan(HoldingProcess.TTL.dividedBy(2).toMillis());
		assertThat(figures.get("renewalsFailed") + figures.get("lost")).as(figures.toString()).isZero();
		assertThat(figures.get("threads")).as(figures.toString()).isBetween(1L, THREADS);
		assertThat(figures.get("bytesPerLock")).as(figures.toString()).isBetween(100L, BYTES_PER_LOCK);
		assertThat(figures.get("engineObjectsAfterwards")).as(figures.toString()).isZero();
		return figures;
	}

	private static Figures run(Class<?> process, int size, Duration duration) throws Exception {
		try (RedisServer server = RedisServers.start();
				OtherProcess other = new OtherProcess(process, server.host(), Integer.toString(server.port()),
						Integer.toString(size), Long.toString(duration.toMillis()))) {
			return Figures.read(other.answer(Figures.BEGINNING));
		}
	}

}

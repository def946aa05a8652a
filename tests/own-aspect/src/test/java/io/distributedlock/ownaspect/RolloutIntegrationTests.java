package io.distributedlock.ownaspect;

import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.test.ConcurrentCalls;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Instances of two versions of an application run side by side while it is rolled out:
 * first those with the old lock and with both, then those with both and with the new one.
 */
@SpringBootTest(classes = { RedissonApplication.class, Rollout.class }, webEnvironment = WebEnvironment.NONE,
		properties = { "distributed-lock.store=redis", "distributed-lock.redis.command-timeout=20s" })
@DirtiesContext
class RolloutIntegrationTests {

	private static final RedisServer SERVER = RedisServers.start();

	@Autowired
	private Rollout rollout;

	@Autowired
	private RedissonClient redisson;

	@Autowired
	private LockRegistry registry;

	@DynamicPropertySource
	static void server(DynamicPropertyRegistry properties) {
		properties.add("spring.data.redis.host", SERVER::host);
		properties.add("spring.data.redis.port", SERVER::port);
	}

	@AfterAll
	static void stop() {
		SERVER.close();
	}

	@ParameterizedTest
	@CsvSource({ "OLD, BOTH", "BOTH, OLD", "BOTH, BOTH", "BOTH, NEW", "NEW, BOTH" })
	void versionsWhenSideBySideExcludeEachOther(Version first, Version second) {
		assertThat(failuresOfSecondWhileFirstRuns(first, second)).hasSize(1)
			.allMatch((failure) -> failure instanceof HomeMadeAspect.BusyException
					|| failure instanceof LockNotAcquiredException);
	}

	@ParameterizedTest
	@CsvSource({ "OLD, NEW", "NEW, OLD" })
	void versionsWhenWithoutTheStepBetweenRunAtOnce(Version first, Version second) {
		assertThat(failuresOfSecondWhileFirstRuns(first, second)).isEmpty();
	}

	/** On another thread, since a thread may enter its lock again. */
	private List<Throwable> failuresOfSecondWhileFirstRuns(Version first, Version second) {
		List<Throwable> failures = new ArrayList<>();
		first.call.accept(this.rollout,
				() -> failures.addAll(ConcurrentCalls.run(1, () -> second.call.accept(this.rollout, () -> {
				})).failures()));
		return failures;
	}

	@Test
	void lockWhenItsRedisKeyIsOneOfRedissonIsRefused() {
		RLock old = this.redisson.getLock("lock:orders:43");
		old.lock();
		try {
			assertThatExceptionOfType(LockStoreException.class)
				.isThrownBy(() -> this.registry.acquire(LockRequest.of("orders", "43")))
				.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.MISCONFIGURED));
		}
		finally {
			old.unlock();
		}
	}

	/** The version of an instance, by the locks that it takes. */
	enum Version {

		OLD(Rollout::withTheOldLock), BOTH(Rollout::withBoth), NEW(Rollout::withTheNewLock);

		private final BiConsumer<Rollout, Runnable> call;

		Version(BiConsumer<Rollout, Runnable> call) {
			this.call = call;
		}

	}

}

package io.distributedlock.observation;

import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.event.LockEventListener;
import io.distributedlock.leader.LeaderElections;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Each meter in the situation that it is for. */
class LockMetersIntegrationTests {

	private static final LockRequest REQUEST = LockRequest.of("k").waitFor(Duration.ofSeconds(20));

	/** Long enough for a machine that stands still between two renewals. */
	private static final LockRequest RENEWED = REQUEST.ttl(Duration.ofSeconds(3));

	private static ObservedRedis redis;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private final CountDownLatch slow = new CountDownLatch(1);

	private DefaultLockRegistry here = redis.registry(null, null);

	private DefaultLockRegistry there = redis.registry(null, null);

	private LockMeters binder = bind(this.here);

	@BeforeAll
	static void start() {
		redis = new ObservedRedis();
	}

	@AfterAll
	static void stop() {
		redis.close();
	}

	@AfterEach
	void close() {
		redis.server.resume();
		this.slow.countDown();
		this.here.close();
		this.there.close();
		redis.forget();
	}

	private LockMeters bind(DefaultLockRegistry registry) {
		LockMeters bound = new LockMeters(Map.of("locks", registry.statistics()));
		bound.bindTo(this.meters);
		return bound;
	}

	private double gauge(LockMeter meter, String... tags) {
		return this.meters.get(meter.getName()).tag("registry", "locks").tags(tags).gauge().value();
	}

	private double count(LockMeter meter, String... tags) {
		return this.meters.get(meter.getName()).tag("registry", "locks").tags(tags).functionCounter().count();
	}

	private double seconds(LockMeter meter) {
		return this.meters.get(meter.getName()).timeGauge().value(TimeUnit.SECONDS);
	}

	@Test
	void heldAndWaitingAreWhatThereIsNow() {
		Lease held = this.there.acquire(REQUEST);
		assertThat(seconds(LockMeter.OLDEST_WAIT)).isZero();
		CompletableFuture<Lease> waiting = this.here.acquireAsync(REQUEST).toCompletableFuture();
		this.here.acquireAsync(REQUEST);
		Lease other = this.here.acquire(LockRequest.of("other"));
		assertThat(gauge(LockMeter.HELD)).isOne();
		assertThat(gauge(LockMeter.WAITING)).isEqualTo(2);
		await().until(() -> seconds(LockMeter.OLDEST_WAIT) > 0.05);
		held.close();
		waiting.join();
		assertThat(gauge(LockMeter.HELD)).isEqualTo(2);
		assertThat(gauge(LockMeter.WAITING)).isOne();
		other.close();
		assertThat(gauge(LockMeter.HELD)).isOne();
	}

	/** Both callers of this instance are there when the other one releases. */
	@Test
	void handOffsAreCountedByWhereTheLockCameFrom() {
		LockRequest request = REQUEST.ttl(Duration.ofMinutes(2));
		await().until(() -> {
			Lease held = this.there.acquire(request);
			CompletableFuture<Lease> first = this.here.acquireAsync(request).toCompletableFuture();
			CompletableFuture<Lease> second = this.here.acquireAsync(request).toCompletableFuture();
			await().until(() -> gauge(LockMeter.WAITING) == 2);
			held.close();
			first.join().close();
			second.join().close();
			return count(LockMeter.HAND_OFFS, "from", "this_instance") > 0
					&& count(LockMeter.HAND_OFFS, "from", "other_instance") > 0;
		});
	}

	@Test
	void lockThatIsDeletedIsLostToAnotherOwner() {
		this.here.acquire(RENEWED);
		redis.forget();
		await().untilAsserted(() -> assertThat(count(LockMeter.LOST, "reason", "not_owner")).isOne());
		assertThat(count(LockMeter.LOST, "reason", "expired")).isZero();
	}

	@Test
	void outageShowsInRenewalsErrorsAndTheAgeOfTheLastAnswer() {
		this.here.acquire(RENEWED);
		await().untilAsserted(() -> assertThat(count(LockMeter.RENEWALS, "outcome", "confirmed")).isPositive());
		redis.server.pause();
		await().untilAsserted(() -> assertThat(count(LockMeter.LOST, "reason", "expired")).isOne());
		assertThat(count(LockMeter.RENEWALS, "outcome", "failed")).isPositive();
		assertThat(count(LockMeter.ENDANGERED)).isOne();
		assertThat(count(LockMeter.STORE_ERRORS, "kind", "unavailable")).isPositive();
		assertThat(count(LockMeter.STORE_ERRORS, "kind", "misconfigured")).isZero();
		assertThat(seconds(LockMeter.LAST_ANSWER)).isGreaterThan(0.5);
		assertThat(this.meters.get(LockMeter.LAST_ANSWER.getName()).timeGauge().getId().getTag("node"))
			.isEqualTo(redis.server.host() + ":" + redis.server.port());
		redis.server.resume();
		await().untilAsserted(() -> {
			this.here.acquire(LockRequest.of("other")).close();
			assertThat(seconds(LockMeter.LAST_ANSWER)).isLessThan(0.5);
		});
	}

	@Test
	void eventsThatSlowListenersMissAreCounted() {
		LockEventListener listener = (event) -> {
			try {
				this.slow.await();
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
			}
		};
		try (DefaultLockRegistry registry = redis.registry(listener, null)) {
			this.meters.clear();
			LockMeters bound = bind(registry);
			for (int i = 0; i < 2_100; i++) {
				registry.acquire(REQUEST).close();
			}
			assertThat(count(LockMeter.DROPPED_EVENTS)).isPositive();
			assertThat(bound).isNotNull();
			this.slow.countDown();
		}
	}

	/** A back end gets each description, unit and tag from the enum. */
	@Test
	void metersAreAsDocumented() {
		assertThat(this.binder).isNotNull();
		LeaderElections elections = new LeaderElections(this.here);
		LeaderMeters leaders = new LeaderMeters(List.of(elections.create("role")));
		leaders.bindTo(this.meters);
		for (LockMeter meter : LockMeter.values()) {
			assertThat(this.meters.get(meter.getName()).meters()).as(meter.getName())
				.isNotEmpty()
				.allSatisfy((bound) -> {
					assertThat(bound.getId().getDescription()).isEqualTo(meter.getDescription());
					assertThat(bound.getId().getBaseUnit()).isEqualTo(meter.getBaseUnit());
					assertThat(bound.getId().getTags())
						.hasSize(meter.getKeyNames().length + meter.getAdditionalKeyNames().length);
				});
		}
		assertThat(this.meters.getMeters()).extracting((meter) -> meter.getId().getName())
			.isSubsetOf(Arrays.stream(LockMeter.values()).map(LockMeter::getName).toList());
		elections.close();
		assertThat(leaders).isNotNull();
	}

}

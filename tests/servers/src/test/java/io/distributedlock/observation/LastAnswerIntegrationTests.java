package io.distributedlock.observation;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.redis.DriverUnderTest;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.redis.SharedTopology;
import io.distributedlock.redlock.SharedNodes;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.LockStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The age of the last answer of each node, where there are several and one is silent
 * while held locks are renewed on all of them.
 */
class LastAnswerIntegrationTests {

	/** Renewed every second. */
	private static final Duration TTL = Duration.ofSeconds(3);

	private static final double RENEWED_SECONDS = 1.6;

	private static final double SILENT_SECONDS = 2.5;

	private final SimpleMeterRegistry meters = new SimpleMeterRegistry();

	private DefaultLockRegistry registry;

	private LockMeters binder;

	@AfterEach
	void close() {
		this.registry.close();
	}

	private void start(LockStore store) {
		this.registry = new DefaultLockRegistry(store, LockProfiles.DEFAULTS,
				EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO), null);
		this.binder = new LockMeters(Map.of("locks", this.registry.statistics()));
		this.binder.bindTo(this.meters);
	}

	@ParameterizedTest
	@EnumSource(names = { "LETTUCE", "JEDIS" })
	void ageOfASilentMasterGrowsAndThatOfTheOthersDoesNot(DriverUnderTest driver) {
		start(new RedisLockStore(SharedTopology.CLUSTER.factory(driver), RedisStoreSettings.DEFAULTS));
		List<RedisServer> masters = SharedTopology.CLUSTER.masters();
		await().untilAsserted(() -> assertThat(ages()).containsOnlyKeys(masters.stream().map(this::address).toList()));
		masters.forEach((master) -> hold(keyOn(master, "held")));
		RedisServer silent = masters.get(1);
		silent.pause();
		try {
			awaitOnlyOneAges(address(silent));
		}
		finally {
			silent.resume();
		}
		hold(keyOn(silent, "again"));
		awaitNoneAges();
	}

	@Test
	void ageOfASilentNodeOfAQuorumGrowsAndThatOfTheOthersDoesNot() {
		List<RedisServer> servers = SharedNodes.servers(3);
		start(SharedNodes.store(servers, RedisStoreSettings.DEFAULTS));
		assertThat(ages()).containsOnlyKeys(servers.stream().map((server) -> "redis://" + address(server)).toList());
		hold("last-answer");
		RedisServer silent = servers.get(1);
		silent.pause();
		try {
			awaitOnlyOneAges("redis://" + address(silent));
		}
		finally {
			silent.resume();
		}
		awaitNoneAges();
	}

	private void hold(String key) {
		this.registry.acquire(LockRequest.of(key).ttl(TTL).waitFor(Duration.ofSeconds(30)));
	}

	/** Another key for each registry, since the servers are shared. */
	private String keyOn(RedisServer master, String purpose) {
		return IntStream.iterate(0, (i) -> i + 1)
			.mapToObj((i) -> purpose + "-" + this.registry.instance() + "-" + i)
			.filter((key) -> this.registry.store().nodeOf(new LockKey("", key)).equals(address(master)))
			.findFirst()
			.orElseThrow();
	}

	private String address(RedisServer server) {
		return server.host() + ":" + server.port();
	}

	private void awaitOnlyOneAges(String silent) {
		await().untilAsserted(() -> assertThat(ages()).hasSize(3).allSatisfy((node, age) -> {
			if (node.equals(silent)) {
				assertThat(age).isGreaterThan(SILENT_SECONDS);
			}
			else {
				assertThat(age).isLessThan(RENEWED_SECONDS);
			}
		}));
	}

	private void awaitNoneAges() {
		await().untilAsserted(() -> assertThat(ages().values()).hasSize(3)
			.allSatisfy((age) -> assertThat(age).isLessThan(RENEWED_SECONDS)));
	}

	/** As in a scrape, which reads all gauges; one of them looks for the nodes. */
	private Map<String, Double> ages() {
		this.meters.get(LockMeter.HELD.getName()).gauge().value();
		return this.meters.find(LockMeter.LAST_ANSWER.getName())
			.timeGauges()
			.stream()
			.collect(Collectors.toMap((gauge) -> gauge.getId().getTag("node"),
					(gauge) -> gauge.value(TimeUnit.SECONDS)));
	}

}

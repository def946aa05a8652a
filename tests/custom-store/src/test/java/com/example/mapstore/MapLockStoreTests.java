package com.example.mapstore;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.state.WakeUp;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.WakeUpListener;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The parts of the example that a reader copies, and that no contract shows. */
class MapLockStoreTests {

	private static final MapLockProperties SETTINGS = new MapLockProperties(Duration.ofMinutes(1),
			Duration.ofSeconds(1));

	private static final String INSTANCE = "0123456789abcdef";

	private final LockMap map = new LockMap();

	/** The time began with each process, and tokens after a restart were smaller. */
	@Test
	void tokenIsAtLeastTheTimeSince1970() {
		long before = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
		try (DefaultLockRegistry registry = new DefaultLockRegistry(store());
				Lease lease = registry.acquire(LockRequest.of("order:42"))) {
			assertThat(lease.fencingToken()).isGreaterThanOrEqualTo(before);
		}
	}

	@Test
	void listenerLearnsThatMessagesAreLostAndComeAgain() {
		List<String> told = new ArrayList<>();
		try (MapLockStore store = store()) {
			store.start(INSTANCE, new WakeUpListener() {

				@Override
				public void wakeUp(String encodedKey) {
					told.add(encodedKey);
				}

				@Override
				public void wakeUpAll() {
					told.add("all");
				}

				@Override
				public void wakeUpsLost() {
					told.add("lost");
				}

			});
			WakeUp message = new WakeUp(new LockKey("", "order:42"), INSTANCE, null);
			this.map.publish(INSTANCE, message.encoded());
			this.map.setConnected(false);
			this.map.publish(INSTANCE, message.encoded());
			this.map.setConnected(true);
		}
		this.map.setConnected(false);
		assertThat(told).containsExactly("all", ":order:42", "lost", "all");
	}

	private MapLockStore store() {
		return new MapLockStore(this.map, SETTINGS);
	}

}

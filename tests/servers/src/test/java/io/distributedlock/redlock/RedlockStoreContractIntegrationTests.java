package io.distributedlock.redlock;

import java.util.Collection;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.redis.LockOnTheWire;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.RequestId;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.test.store.LockStoreSetContractTests;
import io.lettuce.core.api.sync.RedisCommands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The contract of stores on three real servers. */
class RedlockStoreContractIntegrationTests extends LockStoreSetContractTests {

	private static final int NODES = 3;

	private static final String PREFIX = RedisStoreSettings.DEFAULTS.keyPrefix();

	@Override
	protected LockStore createStore() {
		return new WithFairLocks(SharedNodes.patientStore(SharedNodes.servers(NODES), RedisStoreSettings.DEFAULTS));
	}

	/** Those of the quorum, and fair locks. */
	@Override
	protected Set<StoreCapability> expectedCapabilities() {
		return EnumSet.of(StoreCapability.FAIR, StoreCapability.READ, StoreCapability.SEMAPHORE,
				StoreCapability.KEY_SETS, StoreCapability.WAKE_UPS);
	}

	/** A node that was slower than the others may not have been asked in the end. */
	@Override
	protected void awaitListening(LockStore store, AtomicInteger wokenAll, AcquireCommand command) {
		await().until(() -> {
			if (wokenAll.get() >= NODES && hasWordEverywhere(command)) {
				return true;
			}
			store.acquire(command).join();
			return false;
		});
	}

	private static boolean hasWordEverywhere(AcquireCommand command) {
		String instance = command.request().instance();
		return SharedNodes.admins(NODES)
			.stream()
			.allMatch((
					node) -> command.keys().stream().anyMatch((key) -> fields(node, key.encoded()).contains(instance)));
	}

	@Override
	protected void awaitTaken(String encodedKey, RequestId request) {
		for (RedisCommands<String, String> node : SharedNodes.admins(NODES)) {
			await().until(() -> "held".equals(new LockOnTheWire(node).status(PREFIX + encodedKey, request.toString())));
		}
	}

	private static String fields(RedisCommands<String, String> node, String encodedKey) {
		return new LockOnTheWire(node).show(PREFIX + encodedKey).toString();
	}

	@Override
	protected void awaitReleased(String encodedKey, RequestId request) {
		String key = PREFIX + encodedKey;
		for (RedisCommands<String, String> node : SharedNodes.admins(NODES)) {
			await().until(() -> !"held".equals(new LockOnTheWire(node).status(key, request.toString())));
		}
	}

	@Override
	protected boolean isExpiryNoticed(String encodedKey) {
		return SharedNodes.admins(NODES)
			.stream()
			.allMatch((node) -> "0".equals(new LockOnTheWire(node).get(PREFIX + encodedKey, "lease")));
	}

	@Override
	protected boolean repeatsWakeUps() {
		return true;
	}

	@Override
	protected void assertReaderHas(long last, AcquireOutcome outcome) {
		assertThat(((Granted) outcome).token()).isGreaterThanOrEqualTo(last);
	}

	/** A wake-up comes for each node if they send far apart; the test has taken one. */
	@Override
	protected void assertNoMore(Collection<String> wakeUps) {
		assertThat(wakeUps).hasSizeLessThan(NODES);
	}

}

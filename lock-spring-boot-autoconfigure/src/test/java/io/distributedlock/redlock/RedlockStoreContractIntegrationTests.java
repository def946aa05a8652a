package io.distributedlock.redlock;

import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.redis.RedisStoreSettings;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.LockStoreSetContractTests;
import io.distributedlock.store.RequestId;
import io.lettuce.core.api.sync.RedisCommands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The contract of stores on three real servers. */
class RedlockStoreContractIntegrationTests extends LockStoreSetContractTests {

	private static final int NODES = 3;

	@Override
	protected LockStore createStore() {
		return SharedNodes.store(SharedNodes.servers(NODES), RedisStoreSettings.DEFAULTS);
	}

	@Override
	protected void awaitListening(LockStore store, AtomicInteger wokenAll) {
		await().until(() -> wokenAll.get() >= NODES);
	}

	@Override
	protected void awaitWord(AcquireCommand command) {
		String prefix = RedisStoreSettings.DEFAULTS.keyPrefix();
		for (RedisCommands<String, String> node : SharedNodes.admins(NODES)) {
			await().until(() -> command.keys()
				.stream()
				.anyMatch((key) -> node.hgetall(prefix + key.encoded())
					.toString()
					.contains(command.request().instance())));
		}
	}

	@Override
	protected void awaitReleased(String encodedKey, RequestId request) {
		String key = RedisStoreSettings.DEFAULTS.keyPrefix() + encodedKey;
		for (RedisCommands<String, String> node : SharedNodes.admins(NODES)) {
			await().until(() -> !request.toString().equals(node.hget(key, "o")) && !node.hexists(key, "r" + request));
		}
	}

	@Override
	protected void assertReaderHas(long last, AcquireOutcome outcome) {
		assertThat(((Granted) outcome).token()).isGreaterThanOrEqualTo(last);
	}

	@Override
	protected void assertNoMore(Collection<String> wakeUps) {
		assertThat(wakeUps).hasSizeLessThan(2);
	}

}

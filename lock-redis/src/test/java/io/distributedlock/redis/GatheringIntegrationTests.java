package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.RequestId;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class GatheringIntegrationTests extends GatheringContractTests {

	GatheringIntegrationTests() {
		super(DriverUnderTest.LETTUCE);
	}

	@Test
	void storeWhenClosedAnswersAll() {
		List<CompletableFuture<AcquireOutcome>> answers = acquireWhilePaused(newKeys());
		this.store.store.close();
		assertThat(answers).allSatisfy((answer) -> assertThat(failure(answer)).isEqualTo(Kind.UNAVAILABLE));
		assertThat(failure(acquire(this.store, StoreUnderTest.newKey(), request(this.store))))
			.isEqualTo(Kind.UNAVAILABLE);
		this.server.resume();
	}

	@Test
	void nodeOfAQuorumGetsEachRequestAlone() {
		RedisNodeAddress address = new RedisNodeAddress(this.server.host(), this.server.port(), 0, null, null, null);
		try (RedisQuorumNode node = RedisQuorumNode
			.connect(List.of(address), RedisStoreSettings.DEFAULTS, Duration.ZERO)
			.get(0)) {
			node.start("0000000000000001", this.store);
			AcquireCommand first = new AcquireCommand(StoreUnderTest.newKey(), RequestId.of(1, 0, 1, 0),
					StoreUnderTest.TTL, Duration.ZERO, Duration.ZERO);
			Awaitility.await().ignoreExceptions().until(() -> node.acquire(first).join() instanceof Granted);
			long before = scriptCalls();
			this.server.pause();
			List<CompletableFuture<AcquireOutcome>> answers = newKeys().stream()
				.map((key) -> node.acquire(new AcquireCommand(key, RequestId.of(1, 0, 2, 0), StoreUnderTest.TTL,
						Duration.ZERO, Duration.ZERO)))
				.toList();
			this.server.resume();
			assertGranted(answers);
			assertThat(scriptCalls() - before).isGreaterThanOrEqualTo(MANY);
		}
	}

}

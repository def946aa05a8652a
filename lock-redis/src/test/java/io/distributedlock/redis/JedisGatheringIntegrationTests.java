package io.distributedlock.redis;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class JedisGatheringIntegrationTests extends GatheringContractTests {

	JedisGatheringIntegrationTests() {
		super(DriverUnderTest.JEDIS);
	}

	/** Renewals do not gather, so each has one of the driver's threads. */
	@Override
	void occupy() {
		for (int thread = 0; thread < 4; thread++) {
			this.store.renew(StoreUnderTest.newKey(), request(this.store));
		}
	}

	/** The driver's threads end soon, and the remaining commands are cancelled. */
	@Test
	void storeWhenClosedEndsAll() {
		List<CompletableFuture<AcquireOutcome>> answers = acquireWhilePaused(newKeys());
		this.store.store.close();
		assertThat(answers).allSatisfy((answer) -> assertThat(answer).failsWithin(Patience.CEILING));
		assertThat(acquire(this.store, StoreUnderTest.newKey(), request(this.store))).failsWithin(Patience.CEILING);
		this.server.resume();
	}

}

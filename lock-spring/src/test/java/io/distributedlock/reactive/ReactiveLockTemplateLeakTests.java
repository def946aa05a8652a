package io.distributedlock.reactive;

import java.time.Duration;

import com.example.ForgetfulShop;
import io.distributedlock.HeldLock;
import io.distributedlock.Lease;
import io.distributedlock.LockProfiles;
import io.distributedlock.LockRequest;
import io.distributedlock.test.store.Patience;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.EngineSettings;
import io.distributedlock.engine.LeakDetection;
import io.distributedlock.memory.MemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Leases of sequences: of those by hand a forgotten one is found; a template has none.
 */
class ReactiveLockTemplateLeakTests {

	private static final LockRequest REQUEST = LockRequest.of("7").ttl(Duration.ofSeconds(5));

	private final DefaultLockRegistry registry = new DefaultLockRegistry(new MemoryLockStore(), LockProfiles.DEFAULTS,
			EngineSettings.DEFAULTS.withShutdownGrace(Duration.ZERO).withLeakDetection(LeakDetection.ALL), null);

	private final ForgetfulShop shop = new ForgetfulShop(this.registry);

	@AfterEach
	void close() {
		this.registry.close();
	}

	private Mono<Lease> byHand() {
		return Mono.fromCompletionStage(() -> this.registry.acquireAsync(REQUEST));
	}

	@Test
	void leaseOfASequenceThatIsForgottenIsFound() {
		assertThat(byHand().map(Lease::fencingToken).block()).isPositive();
		Patience.await().until(() -> {
			System.gc();
			return this.registry.statistics().leaked() == 1;
		});
		assertThat(this.registry.held()).singleElement().matches(HeldLock::leaked);
	}

	@Test
	void leaseOfASequenceIsWatchedFromItsSubscriptionOn() {
		Mono<Lease> sequence = byHand();
		Lease lease = this.shop.work(sequence::block);
		assertThat(this.registry.held()).singleElement()
			.satisfies((held) -> assertThat(held.origin()).startsWith("com.example.ForgetfulShop.work("))
			.matches((held) -> !held.leaked());
		lease.close();
	}

	@Test
	void leaseOfATemplateIsNotWatched() {
		Mono<String> origin = new ReactiveLockTemplate(this.registry).execute(REQUEST,
				(lease) -> Mono.fromSupplier(() -> "" + this.registry.held().get(0).origin()));
		assertThat(this.shop.<String>work(origin::block)).isEqualTo("null");
	}

}

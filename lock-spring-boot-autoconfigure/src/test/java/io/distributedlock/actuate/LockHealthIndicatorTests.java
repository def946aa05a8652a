package io.distributedlock.actuate;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockInspector;
import io.distributedlock.event.LockStatistics;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.StoreNode;
import io.distributedlock.test.store.DelegatingLockStore;
import org.junit.jupiter.api.Test;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/** The health on states of a store that are hard to bring about. */
class LockHealthIndicatorTests {

	/** It was taken for a store without servers, and UP. */
	@Test
	void storeThatDoesNotAnswerIsDown() {
		LockSource source = silent(new CompletableFuture<>());
		Health health = new LockHealthIndicator(List.of(source), Clock.systemUTC()).health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(health.getDetails().get("nodes").toString()).contains("no answer within 40 ms");
		assertThat(new LocksReport(List.of(source), false).nodes()).singleElement()
			.satisfies((node) -> assertThat(node.failure()).contains("no answer within 40 ms"));
	}

	@Test
	void storeThatFailsToNameItsServersIsDown() {
		LockSource source = silent(CompletableFuture.failedFuture(new IllegalStateException("out of order")));
		Health health = new LockHealthIndicator(List.of(source), Clock.systemUTC()).health();
		assertThat(health.getStatus()).isEqualTo(Status.DOWN);
		assertThat(new LocksReport(List.of(source), false).nodes()).singleElement()
			.satisfies((node) -> assertThat(node.failure()).contains("out of order"));
	}

	private static LockSource silent(CompletableFuture<List<StoreNode>> nodes) {
		LockStore store = new DelegatingLockStore(new MemoryLockStore()) {
			@Override
			public CompletableFuture<List<StoreNode>> nodes() {
				return nodes;
			}

			@Override
			public Duration commandTimeout() {
				return Duration.ofMillis(20);
			}
		};
		return new LockSource("registry", mock(LockInspector.class), store, mock(LockStatistics.class));
	}

	@Test
	void serverWithAWarningOfItsOwnIsAProblem() {
		StoreNode slow = new StoreNode("PostgreSQL", Duration.ofMillis(1), null, StoreNode.UNLIMITED, null,
				List.of("an old snapshot"));
		Health health = new LockHealthIndicator(List.of(silent(CompletableFuture.completedFuture(List.of(slow)))),
				Clock.systemUTC())
			.health();
		assertThat(health.getStatus()).isEqualTo(LockHealthIndicator.WARNING);
		assertThat(health.getDetails().get("problems")).hasToString("[PostgreSQL: an old snapshot]");
	}

	/** Each of them took the stack trace of its owner. */
	@Test
	void healthCountsWhatIsHeldWithoutLookingAtPlaces() {
		LockInspector registry = mock(LockInspector.class);
		LockStatistics statistics = mock(LockStatistics.class);
		given(statistics.held()).willReturn(3);
		given(statistics.overdue()).willReturn(2);
		Health health = new LockHealthIndicator(
				List.of(new LockSource("registry", registry, new MemoryLockStore(), statistics)), Clock.systemUTC())
			.health();
		assertThat(health.getStatus()).isEqualTo(LockHealthIndicator.WARNING);
		assertThat(health.getDetails().get("problems").toString()).contains("2 of 3 leases");
		verify(registry, never()).held();
	}

	@Test
	void storeWithoutAMonitorIsUpWithoutServers() {
		LockSource source = new LockSource("registry", mock(LockInspector.class), withoutMonitor(),
				mock(LockStatistics.class));
		Health health = new LockHealthIndicator(List.of(source), Clock.systemUTC()).health();
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("nodes", Map.of());
	}

	private static LockStore withoutMonitor() {
		return new DelegatingLockStore(new MemoryLockStore()) {
			@Override
			public StoreMonitor monitor() {
				return null;
			}
		};
	}

}

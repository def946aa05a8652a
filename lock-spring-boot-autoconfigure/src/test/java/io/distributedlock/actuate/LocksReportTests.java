package io.distributedlock.actuate;

import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

import io.distributedlock.HeldLock;
import io.distributedlock.LockInspector;
import io.distributedlock.LockMode;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.LostLock;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.event.LockStatistics;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.StoreNode;
import io.distributedlock.test.store.DelegatingLockStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;

/** The report on states of a registry and a store that are hard to bring about. */
class LocksReportTests {

	private static LocksDescriptor.Lost lost(boolean showKeys) {
		LockStoreException cause = new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
				"Cannot renew 'lock:orders:mine%3A1, lock:orders:of another' in Redis: no answer", null);
		LockInspector registry = mock(LockInspector.class);
		given(registry.recentLosses()).willReturn(List.of(new LostLock("orders", List.of("mine:1"), LockMode.EXCLUSIVE,
				1, LossReason.EXPIRED, Duration.ofSeconds(1), Duration.ZERO, cause)));
		LockSource source = new LockSource("registry", registry, new MemoryLockStore(), mock(LockStatistics.class));
		return new LocksReport(List.of(source), showKeys).losses((name) -> true).get(0);
	}

	/**
	 * Those of other locks were shown, and the own key where the store had encoded it.
	 */
	@Test
	void causeOfALossHasNoKeysWhereTheseAreMasked() {
		assertThat(lost(false).cause()).isEqualTo("unavailable");
		assertThat(lost(false).toString()).doesNotContain("mine", "another");
		assertThat(lost(true).cause()).contains("of another", "no answer");
	}

	private static LocksDescriptor.Held held(@Nullable String origin, boolean leaked) {
		LockInspector registry = mock(LockInspector.class);
		given(registry.held()).willReturn(List.of(new HeldLock("orders", List.of("1"), LockMode.EXCLUSIVE, 1,
				Duration.ofSeconds(1), Duration.ofSeconds(1), false, 0, 0, "", null, origin, leaked)));
		LockSource source = new LockSource("registry", registry, new MemoryLockStore(), mock(LockStatistics.class));
		return new LocksReport(List.of(source), false).held((name) -> true).get(0);
	}

	@Test
	void originOfAHeldLockIsShownWhereItIsKnown() {
		assertThat(held("Orders.ship", false).owner().origin())
			.isEqualTo(new LocksDescriptor.Origin("Orders.ship", false));
		assertThat(held(null, false).owner().origin()).isNull();
	}

	@Test
	void lockWhoseLeaseIsForgottenIsMarked() {
		assertThat(held("Orders.ship", true).owner().origin())
			.isEqualTo(new LocksDescriptor.Origin("Orders.ship", true));
		assertThat(held(null, true).owner().origin()).isEqualTo(new LocksDescriptor.Origin(null, true));
	}

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

	/** The answer of the endpoint failed as a whole. */
	@Test
	void storeThatThrowsWhenAskedForItsServersIsDown() {
		LockSource source = asked(() -> {
			throw new IllegalStateException("out of order");
		});
		assertThat(new LocksReport(List.of(source), false).nodes()).singleElement()
			.satisfies((node) -> assertThat(node.failure()).contains("out of order"));
	}

	/** A class that is missing was an error of the endpoint. */
	@Test
	void storeThatThrowsAnErrorWhenAskedForItsServersIsDown() {
		LockSource source = asked(() -> {
			throw new NoClassDefFoundError("a driver");
		});
		assertThat(new LocksReport(List.of(source), false).nodes()).singleElement()
			.satisfies((node) -> assertThat(node.failure()).contains("a driver"));
	}

	private static LockSource silent(CompletableFuture<List<StoreNode>> nodes) {
		return asked(() -> nodes);
	}

	private static LockSource asked(Supplier<CompletableFuture<List<StoreNode>>> nodes) {
		LockStore store = new DelegatingLockStore(new MemoryLockStore()) {
			@Override
			public CompletableFuture<List<StoreNode>> nodes() {
				return nodes.get();
			}

			@Override
			public Duration commandTimeout() {
				return Duration.ofMillis(20);
			}
		};
		return new LockSource("registry", mock(LockInspector.class), store, mock(LockStatistics.class));
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

	/** It was an error of the server. */
	@Test
	void storeThatCannotBeInspectedIsABadRequest() {
		LockStore poor = withoutMonitor();
		try (DefaultLockRegistry registry = new DefaultLockRegistry(poor)) {
			LocksEndpoint endpoint = new LocksEndpoint(
					List.of(new LockSource("registry", registry, poor, registry.statistics())), Map::of, Show.NEVER,
					Set.of(), (event) -> {
					});
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> endpoint.lock("orders", "7", null, SecurityContext.NONE))
				.withMessageContaining("can neither inspect locks");
			assertThatExceptionOfType(InvalidEndpointRequestException.class)
				.isThrownBy(() -> endpoint.forceRelease("orders", "7", null, null, SecurityContext.NONE))
				.withMessageContaining("can neither inspect locks");
			assertThat(endpoint.locks(SecurityContext.NONE).nodes()).isEmpty();
		}
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

package io.distributedlock.actuate;

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

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

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

	private static LockStore withoutMonitor() {
		return new DelegatingLockStore(new MemoryLockStore()) {
			@Override
			public StoreMonitor monitor() {
				return null;
			}
		};
	}

}

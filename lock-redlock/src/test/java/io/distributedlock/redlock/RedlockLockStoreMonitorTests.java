package io.distributedlock.redlock;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.QuorumNode;
import io.distributedlock.store.StoreMonitor;
import io.distributedlock.store.StoreNode;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A node that throws where it should fail a future. It took the others with it. */
class RedlockLockStoreMonitorTests {

	private static final Set<String> BROKEN = Set.of("announce", "nameOf", "nodes");

	private static final String INSTANCE = "0123456789abcdef";

	private Throwable thrown = new IllegalStateException("out of order");

	private final MemoryLockStore second = new MemoryLockStore(new MemoryLocks());

	private final RedlockLockStore store = new RedlockLockStore(
			List.of(node(new MemoryLockStore(new MemoryLocks()), true), node(this.second, false),
					node(new MemoryLockStore(new MemoryLocks()), false)),
			RedlockSettings.DEFAULTS);

	private QuorumNode node(MemoryLockStore real, boolean broken) {
		Class<?>[] types = { QuorumNode.class, StoreMonitor.class };
		return (QuorumNode) Proxy.newProxyInstance(QuorumNode.class.getClassLoader(), types,
				(proxy, method, arguments) -> {
					if (broken && BROKEN.contains(method.getName())) {
						throw this.thrown;
					}
					try {
						return switch (method.getName()) {
							case "monitor" -> proxy;
							case "nodes" -> CompletableFuture.completedFuture(
									List.of(new StoreNode("healthy", Duration.ofMillis(1), null, "", null)));
							default -> method.invoke(real, arguments);
						};
					}
					catch (InvocationTargetException ex) {
						throw ex.getCause();
					}
				});
	}

	@AfterEach
	void close() {
		this.store.close();
	}

	@Test
	void nodesWhenOneThrowsHaveItsFailure() {
		List<StoreNode> nodes = this.store.nodes().join();
		assertThat(nodes).extracting(StoreNode::name).containsExactly("memory", "healthy", "healthy");
		assertThat(nodes.get(0).failure()).hasMessageContaining("out of order");
		assertThat(this.store.worksWith(nodes)).isTrue();
	}

	/** A missing class was the answer for all nodes. */
	@Test
	void nodesWhenOneThrowsAnErrorHaveItsFailure() {
		this.thrown = new NoClassDefFoundError("out of order");
		nodesWhenOneThrowsHaveItsFailure();
		nameWhenOneNodeThrowsIsKnownToTheOthers();
	}

	@Test
	void nameWhenOneNodeThrowsIsKnownToTheOthers() {
		CompletableFuture<?> announced = this.store.announce(INSTANCE, "orders", Duration.ofHours(1));
		assertThat(announced).isCompletedExceptionally();
		assertThat(this.second.nameOf(INSTANCE)).isCompletedWithValue("orders");
		assertThat(this.store.nameOf(INSTANCE)).isCompletedWithValue("orders");
	}

}

package io.distributedlock.interceptor;

import java.lang.management.ManagementFactory;

import com.sun.management.ThreadMXBean;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/** Garbage of a guarded call; an expression that is evaluated makes twice as much. */
class LockInterceptorAllocationTests {

	private static final int ROUNDS = 1_000;

	private static final long MOST_BYTES = 512;

	private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

	@ParameterizedTest
	@ValueSource(strings = { "itself", "literal", "parameter", "property" })
	void callAllocatesLittleMoreThanTheRegistry(String key) {
		try (GuardedContext context = GuardedContext.of(Guarded.class)) {
			LockRegistry registry = context.bean(LockRegistry.class);
			Guarded guarded = context.bean(Guarded.class);
			Order order = new Order("k");
			Runnable call = switch (key) {
				case "itself" -> guarded::itself;
				case "literal" -> guarded::literal;
				case "parameter" -> () -> guarded.parameter("k");
				default -> () -> guarded.property(order);
			};
			long own = allocated(() -> registry.acquire(LockRequest.of("n", "k").ownedByCurrentThread()).close());
			long all = allocated(call);
			assertThat(all - own).isLessThanOrEqualTo(key.equals("property") ? 2 * MOST_BYTES : MOST_BYTES);
		}
	}

	private long allocated(Runnable action) {
		long least = Long.MAX_VALUE;
		for (int attempt = 0; attempt < 4; attempt++) {
			long before = this.threads.getCurrentThreadAllocatedBytes();
			for (int round = 0; round < ROUNDS; round++) {
				action.run();
			}
			least = Math.min(least, (this.threads.getCurrentThreadAllocatedBytes() - before) / ROUNDS);
		}
		return least;
	}

	public record Order(String id) {
	}

	static class Guarded {

		@DistributedLock(name = "n")
		public void itself() {
		}

		@DistributedLock(name = "n", key = "'k'")
		public void literal() {
		}

		@DistributedLock(name = "n", key = "#key")
		public void parameter(String key) {
		}

		@DistributedLock(name = "n", key = "#order.id()")
		public void property(Order order) {
		}

	}

}

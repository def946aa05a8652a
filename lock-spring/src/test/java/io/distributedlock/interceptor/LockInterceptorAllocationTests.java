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
			Runnable own = () -> registry.acquire(LockRequest.of("n", "k").ownedByCurrentThread()).close();
			long limit = key.equals("property") ? 2 * MOST_BYTES : MOST_BYTES;
			assertThat(difference(call, own, limit)).isLessThanOrEqualTo(limit);
		}
	}

	/**
	 * Measures again if it is much, since a method makes more garbage until it is
	 * compiled.
	 */
	private long difference(Runnable call, Runnable own, long limit) {
		long leastOfCall = Long.MAX_VALUE;
		long leastOfOwn = Long.MAX_VALUE;
		for (int attempt = 0; attempt < 4 || (attempt < 40 && leastOfCall - leastOfOwn > limit); attempt++) {
			leastOfCall = Math.min(leastOfCall, allocated(call));
			leastOfOwn = Math.min(leastOfOwn, allocated(own));
		}
		return leastOfCall - leastOfOwn;
	}

	private long allocated(Runnable action) {
		long before = this.threads.getCurrentThreadAllocatedBytes();
		for (int round = 0; round < ROUNDS; round++) {
			action.run();
		}
		return (this.threads.getCurrentThreadAllocatedBytes() - before) / ROUNDS;
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

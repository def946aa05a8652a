package io.distributedlock.benchmarks;

import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.distributedlock.Lease;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/**
 * Measures an annotated method beside the lock itself, in memory: the difference is the
 * cost of the interception. Compare medians. Now and then a lock wakes the renewal
 * thread, which costs more than all the rest and happens to each of the methods alike.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
public class InterceptionBenchmark {

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

	private final LockRequest request = LockRequest.of("orders", "order:42").ownedByCurrentThread();

	private final Order order = new Order("order:42");

	private LockRegistry registry;

	private LockTemplate template;

	private Guarded guarded;

	@Setup
	public void start() {
		this.context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("store", Map.of("distributed-lock.store", "memory")));
		this.context.register(Guarded.class, DistributedLockAutoConfiguration.class);
		this.context.refresh();
		this.registry = this.context.getBean(LockRegistry.class);
		this.template = this.context.getBean(LockTemplate.class);
		this.guarded = this.context.getBean(Guarded.class);
	}

	@TearDown
	public void stop() {
		this.context.close();
	}

	@Benchmark
	public Lease bareLock() {
		Lease lease = this.registry.acquire(this.request.ownedByCurrentThread());
		lease.close();
		return lease;
	}

	@Benchmark
	public int template() {
		return this.template.execute(this.request, (lease) -> 1);
	}

	@Benchmark
	public int annotatedWithoutKey() {
		return this.guarded.itself();
	}

	@Benchmark
	public int annotatedWithArgument() {
		return this.guarded.byArgument("order:42");
	}

	@Benchmark
	public int annotatedWithProperty() {
		return this.guarded.byProperty(this.order);
	}

	/** A guarded bean with trivial methods, so that only the interception is measured. */
	public static class Guarded {

		@DistributedLock(name = "orders")
		public int itself() {
			return 1;
		}

		@DistributedLock(key = "#id", name = "orders")
		public int byArgument(String id) {
			return 1;
		}

		@DistributedLock(key = "#order.id", name = "orders")
		public int byProperty(Order order) {
			return 1;
		}

	}

	/**
	 * An argument with a property that is the key.
	 *
	 * @param id the key
	 */
	public record Order(String id) {
	}

}

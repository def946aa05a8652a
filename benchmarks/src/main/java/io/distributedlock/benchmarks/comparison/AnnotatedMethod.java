package io.distributedlock.benchmarks.comparison;

import java.util.LinkedHashMap;
import java.util.Map;

import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockTemplate;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.benchmarks.InterceptionBenchmark.Guarded;
import io.distributedlock.benchmarks.InterceptionBenchmark.Order;
import io.distributedlock.benchmarks.protocol.Rounds;
import io.distributedlock.benchmarks.protocol.Table;
import io.distributedlock.benchmarks.protocol.Table.Column;
import io.distributedlock.event.LockObserver;
import io.distributedlock.observation.MeterLockObserver;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/**
 * Measures an annotated method beside its lock by hand, on one thread, in an application
 * without timers and in one with a timer for each wait and each hold.
 */
final class AnnotatedMethod {

	private AnnotatedMethod() {
	}

	static Table compare(Setting setting) throws Exception {
		Table table = new Table("one thread, %d rounds".formatted(setting.rounds()), true, Column.median("calls/s", 0));
		try (AnnotationConfigApplicationContext plain = start(setting.place(), false);
				AnnotationConfigApplicationContext observed = start(setting.place(), true)) {
			Map<String, Runnable> calls = new LinkedHashMap<>();
			addCalls(calls, plain, "");
			addCalls(calls, observed, ", observed");
			Rounds.take(calls, Setting.WARM_UP, setting.rounds(), (call) -> measure(call, setting.sliceMillis()))
				.forEach(table::add);
		}
		return table;
	}

	private static AnnotationConfigApplicationContext start(Place place, boolean observed) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("server",
					Map.of("spring.data.redis.host", place.host(), "spring.data.redis.port", place.port())));
		context.register(Guarded.class, DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class);
		if (observed) {
			context.registerBean(LockObserver.class, () -> new MeterLockObserver(new SimpleMeterRegistry()));
		}
		context.refresh();
		return context;
	}

	private static void addCalls(Map<String, Runnable> calls, AnnotationConfigApplicationContext context, String end) {
		LockRegistry registry = context.getBean(LockRegistry.class);
		LockTemplate template = context.getBean(LockTemplate.class);
		Guarded guarded = context.getBean(Guarded.class);
		LockRequest request = LockRequest.of("orders", "order:42");
		Order order = new Order("order:42");
		calls.put("lock and unlock by hand" + end, () -> registry.acquire(request.ownedByCurrentThread()).close());
		calls.put("the same with `LockTemplate`" + end, () -> template.execute(request, (lease) -> 1));
		calls.put("annotated method without a key" + end, guarded::itself);
		calls.put("annotated method with `key = \"#id\"`" + end, () -> guarded.byArgument("order:42"));
		calls.put("annotated method with `key = \"#order.id\"`" + end, () -> guarded.byProperty(order));
	}

	private static double[] measure(Runnable call, int millis) {
		long start = System.nanoTime();
		long end = start + millis * 1_000_000L;
		long count = 0;
		for (; System.nanoTime() < end; count++) {
			call.run();
		}
		return new double[] { count * 1e9 / (System.nanoTime() - start) };
	}

}

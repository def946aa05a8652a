package io.distributedlock;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.AgentBuilder.RedefinitionStrategy;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;
import org.junit.jupiter.api.Test;

import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.nameMatches;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.not;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * How many types an annotated call passes, from the proxy to the driver and back: all
 * those of the library whose code runs, but for those of its root package and for the one
 * that knows the transactions of Spring, which was there before the modules.
 */
class CallPathIntegrationTests {

	private static final int MOST_TYPES = 30;

	private static final int MOST_OF_THE_INTERCEPTOR = 4;

	/**
	 * Classes that are not instrumented. Tests and properties are among them: a JDK may
	 * forget the parameter names of instrumented classes, and later tests need those
	 * names.
	 */
	private static final String LEFT_OUT = "io\\.distributedlock\\.([A-Z].*|transaction\\..*|.*(Tests|Properties|Documented).*)";

	@Test
	void callWithOneFreeKeyPassesFewTypes() {
		try (RedisServer server = RedisServers.start();
				AnnotationConfigApplicationContext application = application(server)) {
			Guarded guarded = application.getBean(Guarded.class);
			for (int warmUp = 0; warmUp < 100; warmUp++) {
				guarded.run("order:" + warmUp);
			}
			Set<String> passed = passed(() -> guarded.run("order:42"));
			assertThat(passed).hasSizeLessThanOrEqualTo(MOST_TYPES)
				.as("code for events, to which nothing listens")
				.noneMatch((type) -> type.contains("LockEvent"));
			assertThat(passed).filteredOn((type) -> type.startsWith("io.distributedlock.interceptor."))
				.hasSizeLessThanOrEqualTo(MOST_OF_THE_INTERCEPTOR);
		}
	}

	private static Set<String> passed(Runnable call) {
		ResettableClassFileTransformer recording = new AgentBuilder.Default().disableClassFormatChanges()
			.with(RedefinitionStrategy.RETRANSFORMATION)
			.type(nameStartsWith("io.distributedlock.").and(not(nameMatches(LEFT_OUT))))
			.transform((builder, type, loader, module, domain) -> builder
				.visit(Advice.to(Recorder.class).on(isConstructor().or(isMethod().and(not(isAbstract()))))))
			.installOn(ByteBuddyAgent.install());
		try {
			// Once more: it is known by now that nothing listens to events.
			call.run();
			Set<String> passed = record(call);
			// A timer of a connection may have run beside a call, but not beside each.
			for (int i = 0; i < 10; i++) {
				passed.retainAll(record(call));
			}
			return passed;
		}
		finally {
			recording.reset(ByteBuddyAgent.getInstrumentation(), RedefinitionStrategy.RETRANSFORMATION);
		}
	}

	private static Set<String> record(Runnable call) {
		Recorder.passed = new ConcurrentSkipListSet<>();
		call.run();
		return Recorder.passed;
	}

	private static AnnotationConfigApplicationContext application(RedisServer server) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("server",
					Map.of("spring.data.redis.host", server.host(), "spring.data.redis.port", server.port())));
		context.register(DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class, Guarded.class);
		context.refresh();
		return context;
	}

	/**
	 * Its code is put at the beginning of each method. The thread of the timers may wake
	 * up for an earlier call.
	 */
	public static class Recorder {

		public static volatile Set<String> passed = Set.of();

		@Advice.OnMethodEnter
		public static void exit(@Advice.Origin("#t") String type) {
			if (passed instanceof ConcurrentSkipListSet<String>
					&& !Thread.currentThread().getName().startsWith("distributed-lock-engine-")) {
				passed.add(type);
			}
		}

	}

	public static class Guarded {

		@DistributedLock(name = "orders", key = "#order", ttl = "10s")
		public void run(String order) {
		}

	}

}

package io.distributedlock;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.BootTypes;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import net.bytebuddy.agent.ByteBuddyAgent;
import net.bytebuddy.agent.builder.AgentBuilder;
import net.bytebuddy.agent.builder.AgentBuilder.RedefinitionStrategy;
import net.bytebuddy.agent.builder.ResettableClassFileTransformer;
import net.bytebuddy.asm.Advice;
import net.bytebuddy.asm.AsmVisitorWrapper;
import net.bytebuddy.description.NamedElement;
import net.bytebuddy.matcher.ElementMatcher;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

import static net.bytebuddy.matcher.ElementMatchers.isAbstract;
import static net.bytebuddy.matcher.ElementMatchers.isConstructor;
import static net.bytebuddy.matcher.ElementMatchers.isMethod;
import static net.bytebuddy.matcher.ElementMatchers.nameMatches;
import static net.bytebuddy.matcher.ElementMatchers.nameStartsWith;
import static net.bytebuddy.matcher.ElementMatchers.named;
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

	/** There were up to four, each a copy of the one before. */
	@Test
	void callMakesOneRequest() {
		try (RedisServer server = RedisServers.start();
				AnnotationConfigApplicationContext application = application(server)) {
			Guarded guarded = application.getBean(Guarded.class);
			AtomicInteger requests = Requests.made;
			instrumented(named(LockRequest.class.getName()), Advice.to(Requests.class).on(isConstructor()), () -> {
				for (Runnable call : List.<Runnable>of(() -> guarded.run("order:42"), guarded::runByItself,
						() -> guarded.runLater("order:42").join())) {
					requests.set(0);
					call.run();
					assertThat(requests).hasValue(1);
				}
				return true;
			});
		}
	}

	private static Set<String> passed(Runnable call) {
		return instrumented(nameStartsWith("io.distributedlock.").and(not(nameMatches(LEFT_OUT))),
				Advice.to(Recorder.class).on(isConstructor().or(isMethod().and(not(isAbstract())))), () -> {
					// Once more: it is known by now that nothing listens to events.
					call.run();
					Set<String> passed = record(call);
					// A timer of a connection may have run beside a call, but not each.
					for (int i = 0; i < 10; i++) {
						passed.retainAll(record(call));
					}
					return passed;
				});
	}

	private static <T> T instrumented(ElementMatcher<NamedElement> types, AsmVisitorWrapper advice, Supplier<T> code) {
		ResettableClassFileTransformer recording = new AgentBuilder.Default().disableClassFormatChanges()
			.with(RedefinitionStrategy.RETRANSFORMATION)
			.type(types)
			.transform((builder, type, loader, module, domain) -> builder.visit(advice))
			.installOn(ByteBuddyAgent.install());
		try {
			return code.get();
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
		context.register(BootTypes.REDIS, DistributedLockAutoConfiguration.class, Guarded.class);
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

	/** Counts the requests that are made. */
	public static class Requests {

		public static final AtomicInteger made = new AtomicInteger();

		@Advice.OnMethodEnter
		public static void made() {
			made.incrementAndGet();
		}

	}

	public static class Guarded {

		@DistributedLock(name = "orders", key = "#order", ttl = "10s")
		public void run(String order) {
		}

		@DistributedLock(name = "orders")
		public void runByItself() {
		}

		@DistributedLock(name = "orders", key = "#order")
		public CompletableFuture<Void> runLater(String order) {
			return CompletableFuture.completedFuture(null);
		}

	}

}

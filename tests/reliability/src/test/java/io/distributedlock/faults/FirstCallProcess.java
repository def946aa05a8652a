package io.distributedlock.faults;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

import static org.awaitility.Awaitility.await;

/**
 * An application that has just started, and asks once for a lock that another one has. It
 * tells by how much the call was late. The log of its classes has those that the call
 * loaded between two that mark it.
 */
final class FirstCallProcess extends OtherProcess {

	/** The server has to answer in it, also where the machine is busy. */
	static final Duration BUDGET = Duration.ofSeconds(5);

	final long lateMillis;

	FirstCallProcess(Path log, String host, int port, String key) throws IOException {
		super(List.of("-Xlog:class+load:file=" + log), FirstCallProcess.class, host, Integer.toString(port), key);
		this.lateMillis = Long.parseLong(answer("late "));
	}

	public static void main(String[] args) throws Exception {
		PrintStream out = System.out;
		System.setOut(System.err);
		List<String> properties = List.of("spring.data.redis.host=" + args[0], "spring.data.redis.port=" + args[1]);
		try (ConfigurableApplicationContext context = new SpringApplicationBuilder(Application.class)
			.web(WebApplicationType.NONE)
			.properties(properties.toArray(String[]::new))
			.run()) {
			await().until(FirstCallProcess::isWarm);
			measure(context.getBean(LockRegistry.class), LockRequest.of(args[2]).waitFor(BUDGET), out);
		}
	}

	/** The thread is started before the registry is there. */
	private static boolean isWarm() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.noneMatch((thread) -> thread.getName().startsWith("distributed-lock-warm-up"));
	}

	private static void measure(LockRegistry registry, LockRequest request, PrintStream out) {
		new Beginning();
		long start = System.nanoTime();
		try {
			registry.acquire(request).close();
			throw new IllegalStateException("The lock was free");
		}
		catch (LockNotAcquiredException ex) {
			long took = System.nanoTime() - start;
			new End();
			out.println("late " + (took - BUDGET.toNanos()) / 1_000_000);
		}
	}

	static final class Beginning {

	}

	static final class End {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ DataRedisAutoConfiguration.class, DistributedLockAutoConfiguration.class })
	static class Application {

	}

}

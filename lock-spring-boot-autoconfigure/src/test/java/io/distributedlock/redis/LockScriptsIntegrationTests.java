package io.distributedlock.redis;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/**
 * The scripts on the wire: first every check, then every check against every script with
 * one line taken out, which some check must notice.
 */
class LockScriptsIntegrationTests {

	/** How long readers may take who are let in: the shortest time that scripts give. */
	private static final Duration PHASE = Duration.ofSeconds(1);

	/** What waits in vain has taken at least this. */
	private static final Duration HANGING = Duration.ofSeconds(8);

	private static final int ATTEMPTS = 10;

	private static RedisServer server;

	private static RedisClient client;

	private static LockScriptHarness harness;

	/** What noticed a missing line last. */
	private static Method noticing;

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
		client = RedisClient.create(RedisURI.create(server.host(), server.port()));
		harness = new LockScriptHarness(client.connect().sync(), client.connectPubSub());
	}

	@AfterAll
	static void stopServer() {
		client.shutdown();
		server.close();
	}

	@TestFactory
	Stream<DynamicTest> check() {
		return checks().map((check) -> DynamicTest.dynamicTest(name(check), () -> run(check)));
	}

	@TestFactory
	Stream<DynamicTest> scriptWithoutALineIsNoticed() {
		int shared = lines(LockScript.sharedSource()).size();
		return Arrays.stream(LockScript.values())
			.flatMap((script) -> without(script.name(), lines(script.source()), shared, List.of(script)));
	}

	/** What stands in front of all scripts lacks the line in all of them. */
	@TestFactory
	Stream<DynamicTest> sharedPartWithoutALineIsNoticed() {
		return without("SHARED", lines(LockScript.sharedSource()), 0, List.of(LockScript.values()));
	}

	private static Stream<DynamicTest> without(String name, List<String> lines, int from, List<LockScript> scripts) {
		return IntStream.range(from, lines.size())
			.filter((index) -> isCode(lines.get(index)))
			.mapToObj((index) -> DynamicTest.dynamicTest(
					name + " without " + (index + 1 - from) + ": " + lines.get(index),
					() -> assertNoticed(index, scripts)));
	}

	private static List<String> lines(byte[] source) {
		return new String(source, StandardCharsets.UTF_8).lines().toList();
	}

	private static boolean isCode(String line) {
		return !line.isBlank() && !line.strip().startsWith("--");
	}

	private static void assertNoticed(int index, List<LockScript> scripts) {
		for (LockScript script : scripts) {
			List<String> broken = new ArrayList<>(lines(script.source()));
			broken.remove(index);
			harness.replace(script, String.join("\n", broken));
		}
		try {
			noticing = checks(scripts.get(0)).filter((check) -> !passes(check))
				.findFirst()
				.orElseThrow(() -> new AssertionError("All checks pass without the line"));
		}
		finally {
			scripts.forEach((script) -> harness.replace(script, new String(script.source(), StandardCharsets.UTF_8)));
		}
	}

	private static boolean passes(Method check) {
		try {
			run(check);
			return true;
		}
		catch (Throwable ex) {
			return false;
		}
	}

	/** A check that took too long, on a machine that stood still, says nothing. */
	private static void run(Method check) throws Throwable {
		for (int attempt = 1;; attempt++) {
			long start = System.nanoTime();
			try {
				runOnce(check);
				return;
			}
			catch (Throwable ex) {
				Duration took = Duration.ofNanos(System.nanoTime() - start);
				if (took.compareTo(PHASE) < 0 || took.compareTo(HANGING) > 0 || attempt == ATTEMPTS) {
					throw ex;
				}
			}
		}
	}

	private static void runOnce(Method check) throws Throwable {
		harness.startOver();
		try {
			check.invoke(check.getDeclaringClass().getDeclaredConstructor().newInstance(), harness);
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
		finally {
			harness.startOver();
		}
	}

	private static String name(Method check) {
		return check.getDeclaringClass().getSimpleName() + '.' + check.getName();
	}

	/**
	 * What noticed the line before comes first, then those of the script itself: they
	 * notice most.
	 */
	private static Stream<Method> checks(LockScript script) {
		return checks().sorted(Comparator.comparing((Method check) -> !check.equals(noticing))
			.thenComparing((check) -> !name(check).toUpperCase(Locale.ROOT).startsWith(script.name())));
	}

	private static Stream<Method> checks() {
		return Stream
			.of(AcquireChecks.class, ReleaseChecks.class, RenewChecks.class, AbandonChecks.class, TogetherChecks.class,
					ReadChecks.class, WaitingReaderChecks.class, FairChecks.class, SemaphoreChecks.class,
					ClaimChecks.class, RaiseChecks.class, ShardedChecks.class)
			.flatMap((type) -> Arrays.stream(type.getDeclaredMethods()))
			.filter((method) -> !method.isSynthetic() && method.getParameterCount() == 1
					&& method.getParameterTypes()[0] == LockScriptHarness.class)
			.sorted(Comparator.comparing(LockScriptsIntegrationTests::name));
	}

}

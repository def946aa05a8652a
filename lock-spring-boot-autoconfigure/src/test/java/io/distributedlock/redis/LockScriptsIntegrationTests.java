package io.distributedlock.redis;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
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

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The scripts on the wire: first every check, then every check against every script with
 * one line taken out, which some check must notice.
 */
class LockScriptsIntegrationTests {

	private static RedisServer server;

	private static RedisClient client;

	private static LockScriptHarness harness;

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
		return Arrays.stream(LockScript.values()).flatMap((script) -> {
			List<String> lines = new String(script.source(), StandardCharsets.UTF_8).lines().toList();
			return IntStream.range(0, lines.size())
				.filter((index) -> isCode(lines.get(index)))
				.mapToObj(
						(index) -> DynamicTest.dynamicTest(script + " without " + (index + 1) + ": " + lines.get(index),
								() -> assertNoticed(script, lines, index)));
		});
	}

	private static boolean isCode(String line) {
		return !line.isBlank() && !line.strip().startsWith("--");
	}

	private static void assertNoticed(LockScript script, List<String> lines, int index) {
		List<String> broken = new ArrayList<>(lines);
		broken.remove(index);
		harness.replace(script, String.join("\n", broken));
		try {
			assertThat(checks(script)).as("All checks pass without the line").anyMatch((check) -> !passes(check));
		}
		finally {
			harness.replace(script, String.join("\n", lines));
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

	private static void run(Method check) throws Throwable {
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

	/** Those of the script itself come first, because they notice most. */
	private static Stream<Method> checks(LockScript script) {
		return checks()
			.sorted(Comparator.comparing((check) -> !name(check).toUpperCase(Locale.ROOT).startsWith(script.name())));
	}

	private static Stream<Method> checks() {
		return Stream
			.of(AcquireChecks.class, ReleaseChecks.class, RenewChecks.class, AbandonChecks.class, TogetherChecks.class)
			.flatMap((type) -> Arrays.stream(type.getDeclaredMethods()))
			.filter((method) -> !method.isSynthetic() && method.getParameterCount() == 1
					&& method.getParameterTypes()[0] == LockScriptHarness.class)
			.sorted(Comparator.comparing(LockScriptsIntegrationTests::name));
	}

}

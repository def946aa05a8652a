package io.distributedlock.redis;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.StringCodec;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The scripts on the wire: first every check, then every check against every script with
 * one line taken out, which some check must notice.
 */
class LockScriptsIntegrationTests {

	/** Less than the shortest time that checks have, which is that of a claim. */
	private static final Duration UNDISTURBED = Duration.ofMillis(700);

	/** A check that waits in vain has taken at least this. */
	private static final Duration HANGING = Duration.ofSeconds(8);

	/** Most checks take a tenth of this. */
	private static final Duration LONG = Duration.ofMillis(100);

	private static final int ATTEMPTS = 10;

	/** Each byte is a character. */
	private static final StringCodec LATIN = new StringCodec(StandardCharsets.ISO_8859_1);

	private static RedisServer server;

	private static RedisClient client;

	private static LockScriptHarness harness;

	private static final List<Check> CHECKS = checks().toList();

	/** The checks that noticed a missing line of a file, the last one first. */
	private static final Map<String, List<Check>> NOTICING = new HashMap<>();

	/** The checks that took long when they last passed. */
	private static final Set<Check> SLOW = new HashSet<>();

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
		client = RedisClient.create(RedisURI.create(server.host(), server.port()));
		harness = new LockScriptHarness(client.connect(LATIN), client.connectPubSub(LATIN));
	}

	@AfterAll
	static void stopServer() {
		client.shutdown();
		server.close();
	}

	@Tag("newer-servers")
	@TestFactory
	Stream<DynamicTest> check() {
		return CHECKS.stream().map((check) -> DynamicTest.dynamicTest(check.name(), () -> run(check)));
	}

	@Test
	void lateChecksAreForLinesAndChecksThatAreThere() {
		List<String> checks = CHECKS.stream().map(Check::name).toList();
		assertThat(LateChecks.ROWS).isNotEmpty()
			.allSatisfy((row) -> assertThat(lines(LockScript.read(row.file()))).as(row.toString())
				.anyMatch((line) -> line.strip().equals(row.line())))
			.allSatisfy((row) -> assertThat(checks).as(row.toString()).contains(row.check()));
	}

	/** Neither version knows the data that the other one wrote, nor overwrites it. */
	@Test
	void versionsOfTheScriptsRefuseEachOther() {
		harness.startOver();
		refuseEachOther(5, 6);
		refuseEachOther(6, 5);
		use(5);
	}

	@Test
	void shownLockWhenThereIsNothingToShowSaysWhy() {
		harness.startOver();
		assertThat(harness.wire.show(harness.key)).contains("lock not in use");
		harness.redis.hset(harness.key, "state", "\6");
		assertThat(harness.wire.show(harness.key)).contains("lock of another version");
		harness.redis.hset(harness.key, "state", "\5 cut short");
		assertThat(harness.wire.show(harness.key)).contains("lock of another program, or damaged");
		harness.redis.hdel(harness.key, "state");
		harness.redis.hset(harness.key, "balance", "100");
		assertThat(harness.wire.show(harness.key)).contains("lock of another program, or damaged");
		harness.redis.del(harness.key);
		harness.redis.set(harness.key, "100");
		assertThat(harness.wire.show(harness.key)).contains("lock of another program: a string");
		harness.startOver();
	}

	private static void refuseEachOther(int writing, int reading) {
		use(writing);
		String owner = harness.take("X", LockScriptHarness.A);
		harness.waitFor("F", LockScriptHarness.B);
		Map<String, String> written = harness.redis.hgetall(harness.key);
		use(reading);
		Stream
			.<ThrowingCallable>of(() -> harness.acquire(owner), () -> harness.release(owner),
					() -> harness.abandon(owner), () -> harness.raise(owner, 1), () -> harness.acquire("R", owner),
					() -> harness.extend(owner, 20_000, LockScriptHarness.ONE))
			.forEach((command) -> assertThatThrownBy(command).hasMessageStartingWith("LOCKVERSION"));
		assertThat(harness.renew(owner, 20_000)).as("which a holder takes for a loss").isZero();
		assertThat(harness.redis.hgetall(harness.key)).isEqualTo(written);
		harness.startOver();
	}

	private static void use(int version) {
		for (LockScript script : LockScript.values()) {
			String source = new String(script.script.source, StandardCharsets.UTF_8);
			assertThat(source).contains("VERSION, RELEASED, HELD, GONE, REVOKED = 5,");
			harness.replace(script, source.replace("REVOKED = 5,", "REVOKED = " + version + ','));
		}
	}

	/** A file that stands before several scripts lacks the line in all of them. */
	@TestFactory
	Stream<DynamicTest> scriptWithoutALineIsNoticed() {
		return Arrays.stream(LockScript.values())
			.flatMap((script) -> script.files.stream())
			.distinct()
			.flatMap(LockScriptsIntegrationTests::without);
	}

	private static Stream<DynamicTest> without(String file) {
		List<String> lines = lines(LockScript.read(file));
		return IntStream.range(0, lines.size())
			.filter((index) -> isCode(lines.get(index)))
			.mapToObj((index) -> DynamicTest.dynamicTest(file + " without " + (index + 1) + ": " + lines.get(index),
					() -> assertNoticed(file, index)));
	}

	private static List<String> lines(byte[] source) {
		return new String(source, StandardCharsets.UTF_8).lines().toList();
	}

	private static boolean isCode(String line) {
		return !line.isBlank() && !line.strip().startsWith("--");
	}

	private static void assertNoticed(String file, int index) {
		List<LockScript> scripts = Arrays.stream(LockScript.values())
			.filter((script) -> script.files.contains(file))
			.toList();
		scripts.forEach((script) -> harness.replace(script, sourceWithout(script, file, index)));
		try {
			String line = lines(LockScript.read(file)).get(index);
			List<Check> checks = checks(file, line).toList();
			Check noticing = checks.stream()
				.filter((check) -> !passes(check))
				.findFirst()
				.orElseThrow(() -> new AssertionError("All checks pass without the line"));
			if (checks.indexOf(noticing) > LateChecks.LATE) {
				System.out
					.println("A row for late-checks.txt: " + new LateChecks.Row(file, line.strip(), noticing.name()));
			}
			noticing(file).remove(noticing);
			noticing(file).add(0, noticing);
		}
		finally {
			scripts
				.forEach((script) -> harness.replace(script, new String(script.script.source, StandardCharsets.UTF_8)));
		}
	}

	private static String sourceWithout(LockScript script, String file, int index) {
		return new String(script.text((each) -> each.equals(file) ? without(each, index) : LockScript.read(each)),
				StandardCharsets.UTF_8);
	}

	private static byte[] without(String file, int index) {
		List<String> lines = new ArrayList<>(lines(LockScript.read(file)));
		lines.remove(index);
		return (String.join("\n", lines) + '\n').getBytes(StandardCharsets.UTF_8);
	}

	private static boolean passes(Check check) {
		try {
			run(check);
			return true;
		}
		catch (Throwable ex) {
			return false;
		}
	}

	/** A check that took too long, on a machine that stood still, says nothing. */
	private static void run(Check check) throws Throwable {
		for (int attempt = 1;; attempt++) {
			long start = System.nanoTime();
			try {
				runOnce(check);
				return;
			}
			catch (Throwable ex) {
				Duration took = Duration.ofNanos(System.nanoTime() - start);
				if (took.compareTo(UNDISTURBED) < 0 || took.compareTo(HANGING) > 0 || attempt == ATTEMPTS) {
					throw ex;
				}
			}
		}
	}

	private static void runOnce(Check check) throws Throwable {
		long start = System.nanoTime();
		harness.startOver();
		try {
			harness.general = check.way() == Way.GENERAL;
			harness.gathered = check.way() == Way.GATHERED;
			check.run();
		}
		catch (InvocationTargetException ex) {
			throw ex.getCause();
		}
		if (Duration.ofNanos(System.nanoTime() - start).compareTo(LONG) > 0) {
			SLOW.add(check);
		}
		else {
			SLOW.remove(check);
		}
	}

	/**
	 * The check that is known to notice the line comes first, then those that noticed
	 * lines nearby and those of the script itself: most lines cost a few checks instead
	 * of a hundred. Those that take long come last: a few of them took more time than all
	 * others.
	 */
	private static Stream<Check> checks(String file, String line) {
		String script = file.substring(0, file.indexOf('.'));
		boolean isShort = Set.of("lock", "unlock", "gather").contains(script);
		List<String> known = LateChecks.of(file, line).toList();
		Map<String, Integer> places = new HashMap<>();
		noticing(file).forEach((check) -> places.put(check.name(), places.size()));
		return CHECKS.stream()
			.filter((check) -> !isShort || check.way() != Way.GENERAL)
			.map((check) -> new Turn(check, !known.contains(check.name()), SLOW.contains(check),
					places.getOrDefault(check.name(), Integer.MAX_VALUE), (check.way() == Way.GENERAL) == isShort,
					!check.name().regionMatches(true, 0, script, 0, script.length())))
			.sorted(Turn.ORDER)
			.map(Turn::check);
	}

	private static List<Check> noticing(String file) {
		return NOTICING.computeIfAbsent(file, (first) -> new ArrayList<>());
	}

	private static Stream<Check> checks() {
		return Stream
			.of(AcquireChecks.class, ReleaseChecks.class, RenewChecks.class, AbandonChecks.class, TogetherChecks.class,
					ReadChecks.class, WaitingReaderChecks.class, FairChecks.class, SemaphoreChecks.class,
					DelayChecks.class, PermitChecks.class, RetakeChecks.class, RaiseChecks.class, ExtendChecks.class,
					ClaimChecks.class, ReservationChecks.class, NextChecks.class, SignChecks.class, GatherChecks.class,
					ForceChecks.class, InspectChecks.class, ForeignChecks.class, NameChecks.class, HealthChecks.class)
			.flatMap((type) -> Arrays.stream(type.getDeclaredMethods()))
			.filter((method) -> !method.isSynthetic() && method.getParameterCount() == 1
					&& method.getParameterTypes()[0] == LockScriptHarness.class)
			.flatMap((method) -> Arrays.stream(Way.values())
				.filter((way) -> way.isFor(method.getDeclaringClass()))
				.map((way) -> new Check(method, way)))
			.sorted(Comparator.comparing(Check::name));
	}

	/** The turn of a check: a component that is true puts it later. */
	private record Turn(Check check, boolean unknown, boolean slow, int place, boolean other, boolean ofOther) {

		private static final Comparator<Turn> ORDER = Comparator.comparing(Turn::unknown)
			.thenComparing(Turn::slow)
			.thenComparingInt(Turn::place)
			.thenComparing(Turn::other)
			.thenComparing(Turn::ofOther);

	}

	/** How requests that a short script knows come. */
	private enum Way {

		SHORT(""), GENERAL(" without short scripts"), GATHERED(" in one call with others");

		private final String suffix;

		Way(String suffix) {
			this.suffix = suffix;
		}

		boolean isFor(Class<?> checks) {
			return switch (this) {
				case SHORT -> true;
				case GENERAL -> checks != GatherChecks.class;
				case GATHERED -> checks == AcquireChecks.class || checks == ReleaseChecks.class;
			};
		}

	}

	/**
	 * A check.
	 *
	 * @param method the method that runs it
	 * @param way how its requests come
	 * @param name its name
	 */
	private record Check(Method method, Way way, String name) {

		Check(Method method, Way way) {
			this(method, way, method.getDeclaringClass().getSimpleName() + '.' + method.getName() + way.suffix);
		}

		void run() throws ReflectiveOperationException {
			Object checks = this.method.getDeclaringClass().getDeclaredConstructor().newInstance();
			this.method.invoke(checks, harness);
		}

	}

}

package io.distributedlock;

import java.io.IOException;
import java.lang.reflect.Parameter;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.autoconfigure.DistributedLockProperties;
import io.distributedlock.autoconfigure.LockEndpointProperties;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The numbers, defaults and messages on the pages are those of the code. A test that
 * fails names the page: repair it, or its row here if the sentence has changed.
 */
class DocumentedFactsTests {

	private static final Path ROOT = Path.of("../..");

	/**
	 * A page, a piece of its text, a source, and the name of a constant or a piece of
	 * code. The value is in the place of {@code {}}; {@code {+1}} and {@code {-1}} are
	 * one more and one less.
	 */
	private static final String NUMBERS = """
			tests/custom-store/README.md | has at most {} bytes of UTF-8 | LockKey | MAX_BYTES
			tests/custom-store/README.md | at least {}, at most | StateLockStore | LEAST_RETENTION
			tests/custom-store/README.md | waiters poll: first after {}, | Pauses | FIRST_BACK_OFF_NANOS
			tests/custom-store/README.md | repeated after {}, then | EndCommand | FIRST_BACK_OFF_NANOS
			tests/custom-store/README.md | then up to {} apart, until | EndCommand | LAST_BACK_OFF_NANOS
			CONTRIBUTING.md | or by `Patience` ({}) | Patience | CEILING
			README.md | for 2 s ({} by default) | DistributedLockProperties | @DefaultValue("{}") Duration waitFor
			acl.md | **The start waits** {}. | LockPermissionCheck | LONGEST
			acl.md | the start waits up to {} more | LockPermissionCheck | LONGEST_WHEN_ANSWERED
			annotation.md | how long the lock outlives a dead holder: {} ( | LockOptions | MIN_TTL
			annotation.md | ({} with renewal) to 365 days | LockOptions | MIN_RENEWABLE_TTL
			annotation.md | (200 ms with renewal) to {} | LockOptions | MAX_TTL
			annotation.md | More than **{} different ones** | LockRequest | MAX_KEYS
			annotation.md | or 1 to {} `permits` | LockOptions | MAX_PERMITS
			api.md | [at most {}](modes.md#several-keys) | LockRequest | MAX_KEYS
			api.md | Up to {} frames of your code are the `origin` | LocalLocks | MOST_FRAMES
			api.md | its last {} losses | RecentLosses | MOST
			api.md | returns their number (at most {+1} readers or permits) | force.lua | lock.holders, 0, {})
			api.md | [above {} are dropped] | EventCallbacks | MOST_WAITING
			api.md | up to {} threads run others | GrowingCallbacks | MOST_THREADS
			architecture.md | `distributed-lock-callback-` (4 to {}) | GrowingCallbacks | MOST_THREADS
			architecture.md | `distributed-lock-danger-` (2 to {}) | GrowingCallbacks | MOST_THREADS
			architecture.md | EVALSHA; behind {} others | Gatherer | MOST_UNDER_WAY
			configuration.md | 1 to {} visible characters | RedisStoreSettings | LONGEST_PREFIX
			configuration.md | a holder that died: `{}` to `365d` | LockOptions | MIN_TTL
			configuration.md | `10ms` to `{}`, with renewal | LockOptions | MAX_TTL
			configuration.md | with renewal at least `{}` | LockOptions | MIN_RENEWABLE_TTL
			configuration.md | A ttl below `{}` needs `renew: false` | LockOptions | MIN_RENEWABLE_TTL
			configuration.md | `sampled` ({} of a registry, then one in {}) | LeakDetector | ONE_IN
			configuration.md | in messages: 1 to {} characters | DefaultLockRegistry | MOST_NAME
			configuration.md | Requests that ended without a lock in an outage get {}. | Engine | LAST_ANSWERS_NANOS
			configuration.md | `{}` to `365d`, longer than drivers | RedisStoreSettings | LEAST_RETENTION
			configuration.md | `poll`: attempts only, after {}, then | Pauses | FIRST_BACK_OFF_NANOS
			configuration.md | an acquisition](topologies.md#replica-acknowledgement), up to `{}` | ReplicaAcks | MOST
			configuration.md | {}, 5 or another odd number of servers | RedlockLockStore | FEWEST_NODES
			configuration.md | another odd number of servers up to {}, | RedlockLockStore | MOST_NODES
			configuration.md | a {} of the `ttl`, at most `50ms` | RedlockSettings | PARTS_OF_LEASE
			configuration.md | a twentieth of the `ttl`, at most `{}` | RedlockSettings | LONGEST_DEFAULT
			configuration.md | configured `ttl`, at least `{}` | RedlockLockStoreConfiguration | SHORTEST_DEFAULT_DELAY
			configuration.md | Holders at once of a semaphore, 1 to {}, | LockOptions | MAX_PERMITS
			configuration.md | the poll interval: `1ms` to `{}`, | EngineSettings | MAX_POLL_INTERVAL
			configuration.md | `1ms` to `20s`, by default {}. | EngineSettings | DEFAULTS = new EngineSettings({},
			configuration.md | At most {} wait; more are dropped | EventCallbacks | MOST_WAITING
			fencing.md | ran ahead of it by more than {} | ClockWatch | FIXED_NANOS
			fencing.md | [turn](how-it-works.md#hand-off-within-an-instance) ({}) do not ask Redis | Turn | PERIOD
			how-it-works.md | a lease lasts for {} | DistributedLockProperties | @DefaultValue("{}") Duration ttl
			how-it-works.md | (one line {} where many locks are lost) | Warnings | WINDOW
			how-it-works.md | less 1 % and {} of drift | LockTerms | FIXED_DRIFT_NANOS
			how-it-works.md | in batches of up to {}; | Renewals | BATCH_SIZE
			how-it-works.md | one batch goes {} times in each | NodeRenewals | TRIES
			how-it-works.md | after a {} of its `ttl` at the latest | AcquireAttempts | PARTS_OF_LEASE
			how-it-works.md | its entry counts for {} s (at most | Instance | WAITING_POLLS
			how-it-works.md | **A turn ends** after {} hand-offs | Turn | MOST_HAND_OFFS
			how-it-works.md | after {} times as many as callers were waiting | Turn | ROUNDS
			how-it-works.md | when it began, or after {} or | Turn | PERIOD
			how-it-works.md | So a body of more than {} is never followed | Turn | PERIOD
			how-it-works.md | up to {} requests for exclusive locks go as one call | Gatherer | MOST_TOGETHER
			how-it-works.md | a caller waits up to {} for a connection | Combiner | LONGEST_WAIT
			jobs.md | `0` (default) to {}; not with | LockOptions | MAX_TTL
			jobs.md | the shortest gap of its first {} runs | ScheduleCheck | RUNS
			leader-election.md | or {} (`listenerGrace`) later | LeaderOptions | DEFAULTS = new LeaderOptions(null, null, {});
			leader-election.md | up to {} may block | GrowingCallbacks | MOST_THREADS
			leader-election.md | for {} others come first | LeaderElection | STEP_DOWN_PAUSE
			leader-election.md | pause for up to {} between attempts | EngineSettings | DEFAULTS = new EngineSettings({},
			leader-election.md | after {} to 30 s | LeaderElection | FIRST_BACK_OFF_NANOS
			leader-election.md | after 1 s to {} | LeaderElection | LONGEST_BACK_OFF_NANOS
			leader-election.md | that of all locks, {} | LockOptions | DEFAULTS = new LockOptions({},
			leader-election.md | a dead leader is not replaced; at least {} | LockOptions | MIN_RENEWABLE_TTL
			leader-election.md | a {} of the lease | Leadership | PARTS_OF_LEASE
			migration.md | **Wait** is {}, unless | DistributedLockProperties | @DefaultValue("{}") Duration waitFor
			migration.md | `distributed-lock.ttl` ({}) | DistributedLockProperties | @DefaultValue("{}") Duration ttl
			modes.md | name the same number**, from 1 to {}. | LockOptions | MAX_PERMITS
			modes.md | - 1 to {}, not more than the permits. | LockOptions | MAX_TAKE
			configuration.md | (modes.md#several-permits-of-one-call): 1 to {}, | LockOptions | MAX_TAKE
			modes.md | At most **{} different keys** | LockRequest | MAX_KEYS
			modes.md | entries of all its waiters for this lock last {} s | Instance | WAITING_POLLS
			modes.md | At most {} requests stand in the line | WaitingLine | MOST
			modes.md | At most {} requests stand in the line | state.lua | LONGEST
			modes.md | {} if others share the lock or queue for it | WaitingLine | MOST_OF_SHARED
			modes.md | {} if others share the lock or queue for it | acquire.lua | (lock.shared > 0 and {} or LONGEST)
			modes.md | writes the line, {} bytes an entry | state.lua | ENTRY
			observability.md | `lock.name` has at most {} values | DefaultLockObservationConvention | DEFAULT_MAX_NAMES
			observability.md | it may be {} too old | LastAnswers | PAUSE_NANOS
			operations.md | what this instance holds and waits for, its last {} losses | RecentLosses | MOST
			operations.md | `fencingToken`: up to {} above that of the caller | Turn | MOST_HAND_OFFS
			operations.md | `holders`: {} at most | LockInspection | MOST_HOLDERS
			operations.md | (at most {+1} readers or permits a call) | force.lua | lock.holders, 0, {})
			operations.md | a clock more than {} off | LockHealthIndicator | MOST_SKEW
			operations.md | closing takes {} more at most | Engine | LAST_ANSWERS_NANOS
			operations.md | waits `shutdown.grace-period` ({}) | EngineSettings | {}, true, LeakDetection.SAMPLED)
			operations.md | a command is interrupted or cut after {}. | DaemonThreads | LAST_WORDS
			operations.md | which costs a command every {}. | InstanceNames | PAUSE_NANOS
			postgresql.md | a table of PostgreSQL ({} or newer) | PostgresSchema | LEAST_VERSION
			postgresql.md | keeps the lock for {} (`postgresql.idle-before-commit`) | DistributedLockProperties | @DefaultValue("{}") Duration idleBeforeCommit
			postgresql.md | hand-off-within-an-instance) ({}) is not noticed | Turn | PERIOD
			postgresql.md | does not answer within {} only delays | PostgresLockConnections | LONGEST
			postgresql.md | are compared again after {}, since | LockTransactionCheck | ASK_AGAIN
			transactions.md | first transaction, repeated after {}. | LockTransactionCheck | ASK_AGAIN
			postgresql.md | their own, {} to 4 connections | PostgresLockConnections | IDLE
			postgresql.md | their own, 2 to {} connections | PostgresLockConnections | MOST
			postgresql.md | attempt after {}, then up to | Pauses | FIRST_BACK_OFF_NANOS
			postgresql.md | and {} transactions old | PostgresNode | MANY_TRANSACTIONS
			postgresql.md | lets it), {} transactions count | PostgresNode | TOO_MANY_TRANSACTIONS
			redlock.md | {}, 5 or another odd number up to 63 | RedlockLockStore | FEWEST_NODES
			redlock.md | 3, 5 or another odd number up to {} | RedlockLockStore | MOST_NODES
			redlock.md | that is configured, at least {}. | RedlockLockStoreConfiguration | SHORTEST_DEFAULT_DELAY
			redlock.md | connecting is attempted again every {} at most | LettuceNodeConnections | PAUSE_NANOS
			redlock.md | Defaults: port {}, | RedisNodeAddress | DEFAULT_PORT
			redlock.md | a port outside of 1 to {}, | RedisNodeAddress | HIGHEST_PORT
			reliability.md | the waiter has the lock within {} after the release | EngineSettings | DEFAULTS = new EngineSettings({},
			reliability.md | With the defaults: `wait` {}, | DistributedLockProperties | @DefaultValue("{}") Duration waitFor
			reliability.md | `ttl` {}, `redis.command-timeout` 1 s | DistributedLockProperties | @DefaultValue("{}") Duration ttl
			reliability.md | `ttl` 30 s, `redis.command-timeout` {}. | DistributedLockProperties | @DefaultValue("{}") Duration commandTimeout
			reliability.md | callers of the next {} do not | Turn | PERIOD
			reliability.md | after {}; 30 s if the port answers | LockPermissionCheck | LONGEST
			compatibility.md | [stored state](wire.md#versions-and-keys-of-other-programs): {} in 0.1 | state.lua | VERSION
			reliability.md | 1 % of the `ttl` and {} before the server | LockTerms | FIXED_DRIFT_NANOS
			reliability.md | waiters cost the next one {+1} s in all | Instance | WAITING_POLLS
			reliability.md | all callback threads (up to {} of each kind) | GrowingCallbacks | MOST_THREADS
			reliability.md | The release is repeated once {} until | EndCommand | LAST_BACK_OFF_NANOS
			reliability.md | released {} after the budget | AsyncAcquisition | HOP_NANOS
			reliability.md | the {} in which a caller with Jedis may | JedisCallerLane | LONGEST_MILLIS
			reliability.md | more than {} bytes when encoded | LockKey | MAX_BYTES
			reliability.md | the first {} bytes, `~` and a SHA-256 | LockKey | HEAD_BYTES
			reliability.md | Collections are nested up to {} deep | KeyValues | MOST_NESTED
			reliability.md | with at most {} characters and escaped | DisplayText | MAX_LOCK
			reliability.md | An instance can have {} requests | RequestId | LAST_PLACE
			reliability.md | A thread can enter a lock {} times | Reentrance | MAX_HOLDS
			reliability.md | for callbacks go after {} without work | Callbacks | IDLE
			reliability.md | those for what blocks after {}. | DaemonThreads | IDLE
			shedlock.md | `ttl` without renewal, {} to 365 days | LockOptions | MIN_TTL
			shedlock.md | `ttl` without renewal, 10 ms to {} | LockOptions | MAX_TTL
			spring-integration.md | the `ttl`, {}; renewed ones | DistributedLockProperties | @DefaultValue("{}") Duration ttl
			spring-integration.md | renewed ones are at least {} | LockOptions | MIN_RENEWABLE_TTL
			testing.md | If no call ends for {} while | ConcurrentCalls | LONGEST_SILENCE
			testing.md | `waitFor` ({} by default) | DistributedLockProperties | @DefaultValue("{}") Duration waitFor
			topologies.md | on a single server {} more for callers | JedisCallerLane | MOST_CONNECTIONS
			topologies.md | at most {} for each primary | BlockingScriptRunner | MAX_THREADS
			topologies.md | after pauses of at most {}, however long | LettuceOwnConnections | LONGEST_PAUSE
			topologies.md | a connection without an answer for {} after | Silence | LONGEST_NANOS
			topologies.md | may take {}, or `redis.command-timeout` if that is longer | LockConnections | LEAST_TIMEOUT
			topologies.md | at most {} connections for each node | JedisOwnConnections | MOST_CONNECTIONS
			topologies.md | for {} at most (25 ms with a short budget) | JedisCallerLane | LONGEST_MILLIS
			topologies.md | is attempted again after up to {}; | RedisWakeUpChannel | LONGEST_PAUSE_WHEN_ANSWERED
			topologies.md | read the topology every {}, | LettuceOwnConnections | CLUSTER_REFRESH
			topologies.md | after failures at most once {}; | LettuceOwnConnections | CLUSTER_REFRESH_AFTER_FAILURE
			topologies.md | with at most {} batches of 350 | Renewals | MOST_IN_FLIGHT
			topologies.md | with at most 24 batches of {} on | Renewals | BATCH_SIZE
			topologies.md | With Jedis each node has {} threads | BlockingScriptRunner | MAX_THREADS
			topologies.md | a script with {} keys at the start | SelfCheck | SCATTERED_KEYS
			topologies.md | (`replica-acks-timeout`, {}) | ReplicaAcks | NONE = new ReplicaAcks(0, {});
			transactions.md | order` (`{}`) has to | DistributedLockProperties | @DefaultValue("{}") int order
			troubleshooting.md | An outage only delays it ({}, | LockPermissionCheck | LONGEST
			troubleshooting.md | more than {} requests; limit them | RequestId | LAST_PLACE
			troubleshooting.md | (`%instance:`) for {}. | InstanceNames | LIFETIME
			troubleshooting.md | the lock is free after its `ttl` ({}) | LockOptions | DEFAULTS = new LockOptions({},
			troubleshooting.md | stays for `redis.token-retention` ({}) | RedisStoreSettings | "lock:", {},
			which-lock.md | {}, the default | LockOptions | DEFAULTS = new LockOptions({},
			wire.md | this is version {} of the state | state.lua | VERSION
			wire.md | of at most {} characters: what the instance calls itself | DefaultLockRegistry | MOST_NAME
			wire.md | written at the start and every {}, | InstanceNames | PAUSE_NANOS
			wire.md | and lives for {}. | InstanceNames | LIFETIME
			wire.md | names at most {} holders, among 1,000 fair requests | LockInspection | MOST_HOLDERS
			wire.md | at most 100 holders, among {} fair requests | RedisInspection | MOST_FAIR
			wire.md | ](configuration.md#redis) ({}) after the release | RedisStoreSettings | "lock:", {},
			""";

	/** The words for a count or a part. */
	private static final Map<Long, List<String>> WORDS = Map.of(1L, List.of("a", "an"), 2L, List.of("two"), 3L,
			List.of("three", "third"), 4L, List.of("four", "quarter"), 5L, List.of("five", "fifth"), 8L,
			List.of("eight"), 10L, List.of("ten"), 20L, List.of("twentieth"), 100L, List.of("hundred", "hundredth"));

	/** The units of durations as pages write them, in milliseconds. */
	private static final Map<String, Long> UNITS = Map.ofEntries(Map.entry("ms", 1L), Map.entry(" ms", 1L),
			Map.entry("s", 1_000L), Map.entry(" s", 1_000L), Map.entry(" second", 1_000L),
			Map.entry(" seconds", 1_000L), Map.entry("m", 60_000L), Map.entry(" minute", 60_000L),
			Map.entry(" minutes", 60_000L), Map.entry(" hour", 3_600_000L), Map.entry("d", 86_400_000L),
			Map.entry(" days", 86_400_000L));

	private static final Pattern PLACE = Pattern.compile("\\{([+-]1)?}");

	private static final Pattern DURATION = Pattern.compile("Duration\\.of(\\w+)\\(([\\d_]+)\\)(?:\\.toNanos\\(\\))?");

	/** A duration as properties have it. */
	private static final Pattern SETTING = Pattern.compile("(\\d+)(ms|s|m|d)");

	private static final Pattern POWER = Pattern.compile("\\(?1L? << (\\d+)\\)?( - 1)?");

	/** A row of a table of properties: the name and the default. */
	private static final Pattern PROPERTY = Pattern.compile("(?m)^\\| `([a-z.-]+)` \\| ([^|]+) \\| ");

	private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");

	private static final String NO_DEFAULT = "none";

	private static final Pattern WORD = Pattern.compile("[A-Za-z]{2,}|…");

	/** A setting as in a YAML file, which is no message. */
	private static final Pattern YAML = Pattern.compile("[a-z.-]+: [a-z]+");

	/** A part of a message that differs from time to time. */
	private static final Pattern VARIABLE = Pattern.compile("\\d+(?:[.,]\\d+)*|…");

	/** The pieces of messages that are in no text of this library, and why. */
	private static final Map<String, String> EXCEPTIONS = Map.of("ACL LOG", "a command of Redis",
			"held by instance … (orders@host-1 (4711))", "composed of three texts, and an example of a name",
			"thread '…' of this instance", "composed of a text and a constant");

	private static Sources sources;

	@BeforeAll
	static void read() throws IOException {
		sources = Sources.read();
	}

	static Stream<Fact> numbers() {
		return NUMBERS.lines().map((row) -> row.split(" \\| ")).map((row) -> new Fact(row[0], row[1], row[2], row[3]));
	}

	@ParameterizedTest
	@MethodSource("numbers")
	void numberWhenOnAPageIsThatOfTheCode(Fact fact) throws IOException {
		assertThat(fact.isOnItsPage()).as("%s has one of %s", fact.page(), fact.texts()).isTrue();
	}

	@Test
	void numberWhenAnotherThanThatOfTheCodeIsFound() throws IOException {
		assertThat(numbers()).hasSizeGreaterThan(100).doesNotHaveDuplicates();
		assertThat(new Fact("how-it-works.md", "**A turn ends** after {} hand-offs", "Turn", "ROUNDS").isOnItsPage())
			.isFalse();
	}

	@Test
	void valueWhenOfTheCodeIsWrittenAsOnPages() {
		assertThat(Value.of("MOST", "1 << 16").written()).containsExactly("65,536", "65536");
		assertThat(Value.of("MOST", "4 * 1_000").plus(1).written()).containsExactly("4,001", "4001");
		assertThat(Value.of("PERIOD", "Duration.ofMillis(20)").written()).contains("20ms", "20 ms");
		assertThat(Value.of("PERIOD_NANOS", "1_000_000_000L").written()).contains("1s", "1 s", "a second", "1,000 ms");
		assertThat(Value.of("ttl", "365d").written()).contains("365d", "365 days");
	}

	@Test
	void propertyWhenDocumentedHasTheDefaultOfTheCode() throws IOException {
		String page = content("configuration.md");
		Map<String, String> told = new TreeMap<>();
		Stream.of("All locks", "Redis", "Redlock", "PostgreSQL")
			.forEach((heading) -> rows(section(page, heading))
				.forEach((name, value) -> told.put("distributed-lock." + name, value)));
		assertThat(told).hasSizeGreaterThan(25)
			.isEqualTo(defaults("distributed-lock", DistributedLockProperties.class));
	}

	/** Two rows are of Spring Boot, which has them for every endpoint and health. */
	@Test
	void propertyOfTheEndpointWhenDocumentedHasTheDefaultOfTheCode() throws IOException {
		Map<String, String> expected = defaults("management.endpoint.locks", LockEndpointProperties.class);
		String access = sources.value("LocksEndpoint", "defaultAccess = Access.{})");
		expected.put("management.endpoint.locks.access", "`" + access.toLowerCase(Locale.ROOT).replace('_', '-') + "`");
		expected.put("management.health.locks.enabled", "`true`");
		assertThat(rows(section(content("configuration.md"), "Endpoint"))).isEqualTo(expected);
	}

	/** The defaults of profiles are those of options; some are on the page above it. */
	@Test
	void propertyOfAProfileWhenDocumentedHasTheDefaultOfTheCode() throws Exception {
		String section = section(content("configuration.md"), "Profiles: `locks.<name>.*`");
		Map<String, String> told = rows(section);
		Set<String> above = quoted(section.split("as above, and:")[0]).collect(Collectors.toSet());
		Map<String, String> expected = new TreeMap<>();
		for (RecordComponent option : LockOptions.class.getRecordComponents()) {
			String name = option.getName().equals("waitFor") ? "wait" : dashed(option.getName());
			expected.put(name, told(option.getAccessor().invoke(LockOptions.DEFAULTS)));
		}
		assertThat(expected.keySet())
			.containsExactlyInAnyOrderElementsOf(Stream.of(told.keySet(), above).flatMap(Set::stream).toList());
		expected.keySet().removeAll(above);
		assertThat(told).hasSizeGreaterThan(4).isEqualTo(expected);
		assertThat(defaults("locks", DistributedLockProperties.Profile.class)).hasSize(told.size() + above.size());
	}

	@Test
	void messageWhenQuotedByTroubleshootingIsInTheCode() throws IOException {
		List<String> messages = sources.messages();
		List<String> quoted = quoted(content("troubleshooting.md").replaceAll("(?s)```.*?```", ""))
			.map((text) -> text.replaceAll("\\s+", " "))
			.filter((text) -> WORD.matcher(text).results().count() > 1 && text.contains(" "))
			.filter((text) -> !YAML.matcher(text).matches())
			.toList();
		assertThat(messages).hasSizeGreaterThan(1_000);
		assertThat(quoted).hasSizeGreaterThan(45).containsAll(EXCEPTIONS.keySet());
		assertThat(quoted).filteredOn((text) -> !EXCEPTIONS.containsKey(text))
			.allMatch((text) -> messages.stream().anyMatch((message) -> says(message, text)));
		assertThat(EXCEPTIONS.keySet()).noneMatch((text) -> messages.stream().anyMatch((each) -> says(each, text)));
	}

	@Test
	void pieceWhenOfAMessageIsFoundInIt() {
		String message = "Lock '…' was not acquired within … ms: …";
		assertThat(says(message, "was not acquired within 5000 ms:")).isTrue();
		assertThat(says(message, "'…' was not acquired")).isTrue();
		assertThat(says(message, "was not acquired in 5000 ms:")).isFalse();
		assertThat(says(message, "within 5000 ms: was not acquired")).isFalse();
	}

	/** Return whether a message has all parts of a piece, in their order. */
	private static boolean says(String message, String piece) {
		int at = 0;
		for (String part : VARIABLE.split(piece)) {
			int found = message.indexOf(part, at);
			if (found < 0) {
				return false;
			}
			at = found + part.length();
		}
		return true;
	}

	private static Map<String, String> rows(String section) {
		return new TreeMap<>(PROPERTY.matcher(section)
			.results()
			.collect(Collectors.toMap((row) -> row.group(1),
					(row) -> QUOTED.matcher(row.group(2)).matches() ? row.group(2) : NO_DEFAULT)));
	}

	private static String section(String page, String heading) {
		String[] parts = page.split(Pattern.quote("\n## " + heading + "\n"), 2);
		assertThat(parts).as(heading).hasSize(2);
		return parts[1].split("\n## ", 2)[0];
	}

	private static Stream<String> quoted(String text) {
		return QUOTED.matcher(text).results().map((quoted) -> quoted.group(1));
	}

	/** Return the defaults as the page writes them, by the names of the properties. */
	private static Map<String, String> defaults(String prefix, Class<?> type) {
		Map<String, String> defaults = new TreeMap<>();
		for (Parameter parameter : type.getDeclaredConstructors()[0].getParameters()) {
			Name name = parameter.getAnnotation(Name.class);
			String property = prefix + "." + ((name != null) ? name.value() : dashed(parameter.getName()));
			DefaultValue value = parameter.getAnnotation(DefaultValue.class);
			if (parameter.getType().isRecord()) {
				defaults.putAll(defaults(property, parameter.getType()));
			}
			else if (parameter.getType() != Map.class) {
				defaults.put(property, told((value != null && value.value().length > 0) ? value.value()[0] : null));
			}
		}
		return defaults;
	}

	private static String told(Object value) {
		if (value == null) {
			return NO_DEFAULT;
		}
		return "`" + (Duration.ZERO.equals(value) ? "0" : value.toString().toLowerCase(Locale.ROOT)) + "`";
	}

	private static String dashed(String name) {
		return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
	}

	private static String content(String name) throws IOException {
		boolean elsewhere = Set.of("README.md", "CONTRIBUTING.md").contains(name) || name.contains("/");
		return Files.readString(ROOT.resolve(elsewhere ? name : "docs/" + name));
	}

	/**
	 * A number on a page.
	 *
	 * @param page the name of the page
	 * @param text a piece of its text
	 * @param source the name of the source
	 * @param place the constant, or a piece of code
	 */
	record Fact(String page, String text, String source, String place) {

		boolean isOnItsPage() throws IOException {
			String page = content(this.page).replaceAll("\\s+", " ");
			return texts().stream().anyMatch(page::contains);
		}

		List<String> texts() {
			Matcher place = PLACE.matcher(this.text);
			assertThat(place.find()).as(this.text).isTrue();
			long more = Long.parseLong(Objects.requireNonNullElse(place.group(1), "0"));
			return Value.of(this.place, sources.value(this.source, this.place))
				.plus(more)
				.written()
				.map((written) -> place.replaceAll(Matcher.quoteReplacement(written)))
				.toList();
		}

		@Override
		public String toString() {
			return this.page + ": " + this.text;
		}

	}

	/**
	 * A value of the code.
	 *
	 * @param number the number, or the milliseconds of a duration
	 * @param isDuration {@code true} if it is a duration
	 */
	record Value(long number, boolean isDuration) {

		/**
		 * Read a value.
		 * @param name the name of the constant, which may end with the unit
		 * @param code an expression
		 */
		static Value of(String name, String code) {
			Matcher duration = DURATION.matcher(code);
			Matcher setting = SETTING.matcher(code);
			if (duration.matches()) {
				Duration unit = ChronoUnit.valueOf(duration.group(1).toUpperCase(Locale.ROOT)).getDuration();
				return new Value(unit.toMillis() * number(duration.group(2)), true);
			}
			if (setting.matches()) {
				return new Value(UNITS.get(setting.group(2)) * number(setting.group(1)), true);
			}
			boolean isNanos = name.endsWith("_NANOS");
			return new Value(number(code) / (isNanos ? 1_000_000 : 1), isNanos || name.endsWith("_MILLIS"));
		}

		private static long number(String code) {
			Matcher power = POWER.matcher(code);
			if (power.matches()) {
				return (1L << Integer.parseInt(power.group(1))) - ((power.group(2) != null) ? 1 : 0);
			}
			return Stream.of(code.split(" \\* "))
				.mapToLong((factor) -> Long.parseLong(factor.replaceAll("[_L]", "")))
				.reduce(1, Math::multiplyExact);
		}

		Value plus(long more) {
			return new Value(this.number + more, this.isDuration);
		}

		/** Return the ways in which a page may write it. */
		Stream<String> written() {
			if (!this.isDuration) {
				return written(this.number);
			}
			return UNITS.entrySet()
				.stream()
				.filter((unit) -> this.number % unit.getValue() == 0)
				.flatMap((unit) -> written(this.number / unit.getValue()).map((count) -> count + unit.getKey()));
		}

		private static Stream<String> written(long count) {
			Stream<String> digits = Stream.of(String.format(Locale.ROOT, "%,d", count), Long.toString(count));
			return Stream.concat(digits, WORDS.getOrDefault(count, List.of()).stream());
		}

	}

}

package io.distributedlock.redis;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.distributedlock.redis.RedisPermission.Need;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * That the one list of permissions, the scripts, the probe and the documentation agree.
 */
class RedisPermissionTests {

	private static final Pattern CALL = Pattern
		.compile("(?<=(?:redis\\.call|redis\\.pcall|write|may)\\(')[A-Z]+(?=')|(?<=')S?PUBLISH(?=')");

	/** Health asks for it, and does without where the user may not. */
	private static final String NOT_NEEDED = "INFO";

	private static final String PREFIX = RedisStoreSettings.DEFAULTS.keyPrefix();

	@Test
	void probeTriesEveryCommandThatTheScriptsCall() throws IOException {
		Set<String> called = Arrays.stream(LockScript.values())
			.flatMap((script) -> commands(new String(script.script.source, StandardCharsets.UTF_8)))
			.filter((command) -> !NOT_NEEDED.equals(command))
			.collect(Collectors.toSet());
		assertThat(called).hasSizeGreaterThan(5);
		try (InputStream probe = SelfCheck.class.getResourceAsStream("probe.lua")) {
			assertThat(commands(new String(probe.readAllBytes(), StandardCharsets.UTF_8)).collect(Collectors.toSet()))
				.isEqualTo(called);
		}
		assertThat(called).allSatisfy((command) -> assertThat(RedisPermission.of(command)).isNotNull());
		assertThat(RedisPermission.inScripts()).extracting(RedisPermission::name)
			.containsExactlyInAnyOrderElementsOf(
					called.stream().filter((command) -> !command.equals("PUBLISH")).toList());
	}

	private static Stream<String> commands(String script) {
		Matcher matcher = CALL.matcher(script);
		return matcher.results().map(MatchResult::group);
	}

	static Stream<String> lines() {
		return Stream.of(RedisPermission.rules(PREFIX), RedisPermission.rules(PREFIX, Need.CLUSTER),
				RedisPermission.rules(PREFIX, Need.CLUSTER), RedisPermission.rules(PREFIX, Need.REDLOCK));
	}

	@ParameterizedTest
	@MethodSource("lines")
	void documentationHasTheLine(String line) throws IOException {
		assertThat(Files.readString(Path.of("..", "docs", "acl.md")).lines())
			.contains("ACL SETUSER locks reset resetchannels on >secret " + line);
	}

	/** The errors that servers send to connections and to scripts, by version. */
	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			NOPERM this user has no permissions to run the 'hset' command                                    | +hset
			NOPERM this user has no permissions to run the 'hset' command or its subcommand                  | +hset
			NOPERM User keys has no permissions to run the 'hset' command                                    | +hset
			The user executing the script can't run this command or subcommand script: 1, on @user_script:1. | +hset
			NOPERM this user has no permissions to access one of the keys used as arguments                  | ~lock:*
			NOPERM No permissions to access a key                                                            | ~lock:*
			The user executing the script can't access at least one of the keys mentioned in the command     | ~lock:*
			NOPERM this user has no permissions to access one of the channels used as arguments              | &lock:*
			NOPERM No permissions to access a channel                                                        | &lock:*
			The user executing the script can't publish to the channel mentioned in the command              | &lock:*
			ERR ACL failure in script: User u has no permissions to run the 'hset' command script: 1, on @u: | +hset
			ERR ACL failure in script: No permissions to access a key script: 1, on @user_script:1.          | ~lock:*
			ERR ACL failure in script: No permissions to access a channel script: 1, on @user_script:1.      | &lock:*
			NOPERM User channels has no permissions to access a key                                          | ~lock:*
			NOPERM User locks has no permissions to access the 'lock::a channel' key                         | ~lock:*
			NOPERM: channels has no ACL permissions                                                          | +hset
			NOPERM something new                                                                             | +hset
			""")
	void ruleIsWhatTheServerMeans(String said, String rule) {
		assertThat(RedisPermission.HSET.rule(said, "lock:")).isEqualTo(rule);
	}

}

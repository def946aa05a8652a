package io.distributedlock.redis.internal.driver;

import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.InvalidDataAccessApiUsageException;

import static org.assertj.core.api.Assertions.assertThat;

class RefusalsTests {

	private static Throwable failure(String said) {
		return new InvalidDataAccessApiUsageException("Error in execution", new IllegalStateException(said));
	}

	/** Redis before 7 wraps the error of a command in an error of the script. */
	@ParameterizedTest
	@ValueSource(strings = { "NOPERM No permissions to access a key",
			"NOPERM User locks has no permissions to access the 'lock::run the 'a' command' key",
			"ERR ACL failure in script: User locks has no permissions to run the 'zscore' command script: 1",
			"ERR ACL failure in script: User READONLY has no permissions to run the 'zscore' command script: 1",
			"WRONGTYPE Operation against a key", "CROSSSLOT Keys in request don't hash to the same slot",
			"LOCKVERSION 3 of 'lock::a'", "LOCKFOREIGN 2 is a hash",
			"ERR user_script:12: data string too short script: 1, on @user_script:12.",
			"ERR Error running script (call to f_1): @user_script:12: user_script:12: data string too short",
			"ERR Error running script (call to f_1): @user_script:3: WRONGTYPE Operation against a key",
			"ERR Protocol error: too big mbulk count string", "ERR request is too large" })
	void refusalThatOneKeyMayHaveCausedIsTriedWithoutIt(String said) {
		assertThat(Refusals.isOfOneKey(failure(said))).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "LOADING Redis is loading the dataset in memory", "BUSY Redis is busy running a script.",
			"READONLY You can't write against a read only replica. script: 1, on @user_script:12.",
			"ERR Error running script (call to f_1): @user_script:3: -OOM command not allowed",
			"NOREPLICAS Not enough good replicas to write.", "NOAUTH Authentication required.",
			"TRYAGAIN Multiple keys request during rehashing of slot", "Connection reset by peer", "Read timed out",
			"NOPERM this user has no permissions to run the 'evalsha' command or its subcommand",
			"NOPERM User locks has no permissions to run the 'evalsha' command" })
	void refusalOfAllKeysIsNotTriedWithFewer(String said) {
		assertThat(Refusals.isOfOneKey(failure(said))).isFalse();
	}

	/** Its keys counted as those of different slots, or it as a command for a replica. */
	@Test
	void userMayHaveTheNameOfAnError() {
		assertThat(Refusals.isCrossSlot(failure("NOPERM User CROSSSLOT has no permissions to access the 'a' key")))
			.isFalse();
		assertThat(Refusals.isCrossSlot(failure("NOPERM: CROSSSLOT has no ACL permissions"))).isFalse();
		assertThat(Refusals.isOfOneKey(failure("NOPERM: BUSY has no ACL permissions"))).isTrue();
		assertThat(Refusals.isOfOneKey(failure("LOADING 'WRONGTYPE' is in memory soon"))).isFalse();
		assertThat(Refusals.isOfOneKey(failure("WRONGTYPE Operation against 'lock::OOM'"))).isTrue();
	}

	@Test
	void keysOnTwoNodesAreRecognizedThroughTheDriversExceptions() {
		assertThat(Refusals.isTryAgain(failure("TRYAGAIN Multiple keys request"))).isTrue();
		assertThat(Refusals.isTryAgain(failure("CLUSTERDOWN The cluster is down"))).isFalse();
	}

	@Test
	void commandsAreDividedIntoQuarters() {
		List<Integer> ten = IntStream.range(0, 10).boxed().toList();
		assertThat(Refusals.divided(ten, failure("NOPERM No permissions to access a key")))
			.containsExactly(List.of(0, 1), List.of(2, 3, 4), List.of(5, 6), List.of(7, 8, 9));
	}

	/** The parts of a slot that is being moved may be on two nodes as well. */
	@ParameterizedTest
	@ValueSource(
			strings = { "CROSSSLOT Keys in request don't hash to the same slot", "TRYAGAIN Multiple keys request" })
	void commandsWhoseKeysMayNotBeTogetherAreEachAlone(String said) {
		assertThat(Refusals.divided(List.of(1, 2, 3, 4, 5), failure(said))).containsExactly(List.of(1), List.of(2),
				List.of(3), List.of(4), List.of(5));
	}

}

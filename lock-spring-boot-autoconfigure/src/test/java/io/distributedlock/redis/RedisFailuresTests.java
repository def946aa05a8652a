package io.distributedlock.redis;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.dao.InvalidDataAccessApiUsageException;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link RedisFailures}: what is worth another try, and what is not.
 */
class RedisFailuresTests {

	@ParameterizedTest
	@ValueSource(strings = { "CLUSTERDOWN The cluster is down", "CLUSTERDOWN Hash slot not served",
			"MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
			"LOADING Redis is loading the dataset in memory", "READONLY You can't write against a read only replica.",
			"NOREPLICAS Not enough good replicas to write.", "TRYAGAIN Multiple keys request during rehashing of slot",
			"MOVED 3999 127.0.0.1:6381", "OOM command not allowed when used memory > 'maxmemory'." })
	void answerOfAServerThatIsNotReadyIsWorthAnotherTry(String said) {
		assertThat(translated(said).getKind()).isEqualTo(Kind.UNAVAILABLE);
	}

	@ParameterizedTest
	@ValueSource(strings = { "NOPERM this user has no permissions", "WRONGTYPE Operation against a key",
			"CROSSSLOT Keys in request don't hash to the same slot", "NOAUTH Authentication required." })
	void answerThatWaitingDoesNotCureIsReportedAtOnce(String said) {
		assertThat(translated(said).getKind()).isEqualTo(Kind.MISCONFIGURED);
	}

	@Test
	void keysOnTwoNodesAreRecognizedThroughTheDriversExceptions() {
		assertThat(RedisFailures.isTryAgain(translated("TRYAGAIN Multiple keys request"))).isTrue();
		assertThat(RedisFailures.isTryAgain(translated("CLUSTERDOWN The cluster is down"))).isFalse();
	}

	private static LockStoreException translated(String said) {
		return RedisFailures.translate("release", "lock::a", "lock:",
				new InvalidDataAccessApiUsageException("Error in execution", new IllegalStateException(said)));
	}

}

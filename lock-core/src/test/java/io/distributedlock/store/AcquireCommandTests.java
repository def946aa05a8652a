package io.distributedlock.store;

import java.time.Duration;
import java.util.List;

import io.distributedlock.LockMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class AcquireCommandTests {

	private static AcquireCommand command(LockMode mode, int spareTokens) {
		return new AcquireCommand(List.of(new LockKey("", "k")), new RequestId(1, 1), mode, 0, null,
				Duration.ofSeconds(3), Duration.ZERO, Duration.ZERO, 0, false, spareTokens);
	}

	@ParameterizedTest
	@EnumSource(names = { "FAIR", "READ", "SEMAPHORE" })
	void spareTokensOfALockThatIsNotExclusiveAreRefused(LockMode mode) {
		assertThatIllegalArgumentException().isThrownBy(() -> command(mode, 1))
			.withMessage("Spare tokens are only for an exclusive lock, not for the mode " + mode + ": 1");
		assertThat(command(mode, 0).spareTokens()).isZero();
	}

	@ParameterizedTest
	@EnumSource(names = { "READ", "SEMAPHORE" })
	void delayOfALockWithSeveralHoldersIsRefused(LockMode mode) {
		assertThatIllegalArgumentException().isThrownBy(() -> command(mode, 0).withLockDelay(Duration.ofSeconds(1)))
			.withMessage("A delay is only for a lock with one holder, not for the mode " + mode + ": PT1S");
	}

	@Test
	void exclusiveLockMayHaveSpareTokens() {
		assertThat(command(LockMode.EXCLUSIVE, 1).spareTokens()).isOne();
	}

}

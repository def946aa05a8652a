package io.distributedlock;

import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockRequestTests {

	private static final LockRequest REQUEST = LockRequest.of("pdf").name("exports");

	/** It became a semaphore, or stayed a request that failed later. */
	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ", "WRITE" })
	void permitsBesideAnotherModeAreRefusedInEitherOrder(LockMode mode) {
		assertThatIllegalArgumentException().isThrownBy(() -> REQUEST.mode(mode).permits(3))
			.withMessageContainingAll("mode " + mode, "permits 3", "leave one of the two out");
		assertThatIllegalArgumentException().isThrownBy(() -> REQUEST.permits(3).mode(mode))
			.withMessageContainingAll("mode " + mode, "permits 3", "leave one of the two out");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> REQUEST.options(LockOptions.NONE.withMode(mode).withPermits(3)));
	}

	@Test
	void permitsMakeASemaphore() {
		assertThat(REQUEST.permits(3).options().mode()).isEqualTo(LockMode.SEMAPHORE);
		assertThat(REQUEST.mode(LockMode.DEFAULT).permits(3).options().mode()).isEqualTo(LockMode.SEMAPHORE);
		assertThat(REQUEST.mode(LockMode.SEMAPHORE).permits(3).permits(4).options().permits()).isEqualTo(4);
		assertThat(REQUEST.permits(3).mode(LockMode.SEMAPHORE).options().permits()).isEqualTo(3);
	}

	@Test
	void textSaysTheModeAndThePermits() {
		assertThat(REQUEST).hasToString("LockRequest[exports:[pdf]]");
		assertThat(REQUEST.mode(LockMode.READ)).hasToString("LockRequest[exports:[pdf], mode READ]");
		assertThat(REQUEST.permits(3)).hasToString("LockRequest[exports:[pdf], mode SEMAPHORE, permits 3]");
	}

	/** The message named the number and the mode, but not where the number came from. */
	@Test
	void permitsOfAProfileThatIsNoSemaphoreAreNamedByTheirProperty() {
		LockProfiles profiles = new LockProfiles(LockOptions.NONE, Map.of("exports", LockOptions.NONE.withPermits(3)));
		assertThatIllegalArgumentException().isThrownBy(() -> profiles.resolve("exports", LockOptions.NONE))
			.withMessageContainingAll("distributed-lock.locks.exports.permits is 3",
					"the mode of this lock is EXCLUSIVE", "set distributed-lock.locks.exports.mode=semaphore");
		assertThatIllegalArgumentException()
			.isThrownBy(() -> profiles.resolve("exports", LockOptions.NONE.withMode(LockMode.FAIR)))
			.withMessageContainingAll("distributed-lock.locks.exports.permits is 3", "FAIR");
		assertThat(profiles.resolve("exports", REQUEST.permits(5).options()).permits()).isEqualTo(3);
	}

}

package io.distributedlock;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LockRequestTests {

	private static final LockRequest REQUEST = LockRequest.of("exports", "pdf");

	/** It became a semaphore, or stayed a request that failed later. */
	@ParameterizedTest
	@EnumSource(names = { "EXCLUSIVE", "FAIR", "READ" })
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
		assertThat(REQUEST.mode(LockMode.SEMAPHORE).permits(3).permits(4).options().permits()).isEqualTo(4);
		assertThat(REQUEST.permits(3).mode(LockMode.SEMAPHORE).options().permits()).isEqualTo(3);
	}

	/** Two strings were two keys, where every other method has the name first. */
	@Test
	void twoStringsAreTheNameAndTheKeyAsThoseOfALock() {
		LockRequest request = LockRequest.of("orders", "42");
		assertThat(request.name()).isEqualTo("orders");
		assertThat(request.keys()).containsExactly("42");
		assertThat(LockRequest.of("", "42")).hasToString(LockRequest.of("42").toString());
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of((String) null, "42"))
			.withMessageContaining("no name is an empty string");
		assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.of("orders", " "))
			.withMessageContaining("key of a lock must not be null or blank");
	}

	@Test
	void severalKeysHaveANameOnlyByWhatGivesThemOne() {
		LockRequest request = LockRequest.ofAll("b", "a", "b");
		assertThat(request.name()).isEmpty();
		assertThat(request.keys()).containsExactly("a", "b");
		assertThat(request.name("orders").name()).isEqualTo("orders");
		assertThat(LockRequest.ofAll(List.of("b", "a")).keys()).containsExactly("a", "b");
	}

	@Test
	void keysMayBeAsManyAsTheLimitSaysDuplicatesAside() {
		List<String> most = keys(LockRequest.MAX_KEYS);
		assertThat(LockRequest.ofAll(most).keys()).hasSize(LockRequest.MAX_KEYS);
		List<String> twice = Stream.concat(most.stream(), most.stream()).toList();
		assertThat(LockRequest.ofAll(twice).keys()).hasSize(LockRequest.MAX_KEYS);
	}

	/** None of 65,536 keys was locked, and only the first 4,464 of 70,000. */
	@ParameterizedTest
	@ValueSource(ints = { LockRequest.MAX_KEYS + 1, 65_536, 70_000 })
	void keysThatAreTooManyAreRefusedByNameWithTheRemedy(int count) {
		List<String> keys = keys(count);
		for (ThrowingCallable request : List.<ThrowingCallable>of(() -> LockRequest.ofAll(keys),
				() -> LockRequest.ofAll(keys.toArray(String[]::new)))) {
			assertThatIllegalArgumentException().isThrownBy(request)
				.withMessageContainingAll("1000 keys (LockRequest.MAX_KEYS)", "has " + count + ", 'k0' among them",
						"do the work in portions");
		}
	}

	private static List<String> keys(int count) {
		return IntStream.range(0, count).mapToObj((i) -> "k" + i).toList();
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

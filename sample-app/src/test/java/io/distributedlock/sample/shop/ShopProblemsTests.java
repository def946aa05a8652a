package io.distributedlock.sample.shop;

import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.LockLostException;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

class ShopProblemsTests {

	@ParameterizedTest
	@MethodSource("failures")
	void failureIsProblemOfItsOwnStatusAndType(RuntimeException failure, int status, String type) {
		assertThat(client(failure).get().uri("/").exchange()).hasStatus(status)
			.hasContentTypeCompatibleWith(MediaType.APPLICATION_PROBLEM_JSON)
			.bodyJson()
			.extractingPath("$.type")
			.isEqualTo("/problems/" + type);
	}

	static Stream<Arguments> failures() {
		return Stream.of(Arguments.of(busy(), 409, "lock-busy"),
				Arguments.of(unavailable(), 503, "lock-store-unavailable"), Arguments.of(lost(), 500, "lock-lost"),
				Arguments.of(new ClosureLostException("toy", lost()), 409, "lock-lost"),
				Arguments.of(new StaleWriteException("toy", 7), 409, "stale-write"),
				Arguments.of(new SoldOutException("toy"), 410, "sold-out"),
				Arguments.of(new UnknownException("no toy"), 404, "unknown"));
	}

	@Test
	void busyTellsKeyAndWhenToTryAgain() {
		assertThat(client(busy()).get().uri("/").exchange()).hasHeader(HttpHeaders.RETRY_AFTER, "1")
			.bodyJson()
			.isLenientlyEqualTo("{\"key\":\"toy\",\"waitedMillis\":200,\"status\":409}");
	}

	@Test
	void unavailableTellsWhenToTryAgain() {
		assertThat(client(unavailable()).get().uri("/").exchange()).hasHeader(HttpHeaders.RETRY_AFTER, "5");
	}

	private static LockNotAcquiredException busy() {
		return new LockNotAcquiredException("toy", "another instance", Duration.ofMillis(200));
	}

	private static LockLostException lost() {
		return new LockLostException("", "toy", LossReason.EXPIRED, true);
	}

	private static LockStoreException unavailable() {
		return new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "no Redis", null);
	}

	private static MockMvcTester client(RuntimeException failure) {
		return MockMvcTester.of(List.of(new Failing(failure)),
				(builder) -> builder.setControllerAdvice(new ShopProblems()).build());
	}

	@RestController
	static class Failing {

		private final RuntimeException failure;

		Failing(RuntimeException failure) {
			this.failure = failure;
		}

		@GetMapping("/")
		String fail() {
			throw this.failure;
		}

	}

}

package io.distributedlock.store;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class StoreCallTests {

	/** A copy could not be cancelled. */
	@Test
	void futureOfTheCodeIsTheAnswer() {
		CompletableFuture<String> sent = new CompletableFuture<>();
		assertThat(StoreCall.send(() -> sent)).isSameAs(sent);
	}

	@ParameterizedTest
	@ValueSource(classes = { IllegalStateException.class, StackOverflowError.class })
	void codeThatThrowsIsAnAnswer(Class<? extends Throwable> type) throws ReflectiveOperationException {
		Throwable thrown = type.getConstructor().newInstance();
		CompletableFuture<String> answer = StoreCall.send(() -> {
			throw StoreCallTests.<RuntimeException>unchecked(thrown);
		});
		assertThatExceptionOfType(CompletionException.class).isThrownBy(answer::join).havingCause().isSameAs(thrown);
	}

	@SuppressWarnings("unchecked")
	private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
		throw (E) thrown;
	}

	@Test
	void codeWithoutAFutureIsAnAnswer() {
		CompletableFuture<String> answer = StoreCall.send(() -> null);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(answer::join)
			.withStackTraceContaining(StoreCall.NO_FUTURE);
	}

}

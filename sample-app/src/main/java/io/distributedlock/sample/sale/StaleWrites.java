package io.distributedlock.sample.sale;

import java.util.Optional;
import java.util.stream.Stream;

import io.distributedlock.sample.shop.StaleWriteException;
import org.jspecify.annotations.Nullable;

/**
 * Finds a refused write in a failed purchase. The exception of the lost lock may lie
 * above it.
 */
final class StaleWrites {

	private StaleWrites() {
	}

	static Optional<StaleWriteException> find(@Nullable Throwable thrown) {
		if (thrown == null) {
			return Optional.empty();
		}
		if (thrown instanceof StaleWriteException stale) {
			return Optional.of(stale);
		}
		return Stream
			.concat(Stream.of(thrown.getSuppressed()).map(StaleWrites::find), Stream.of(find(thrown.getCause())))
			.flatMap(Optional::stream)
			.findFirst();
	}

}

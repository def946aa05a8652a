package io.distributedlock.interceptor;

import java.util.Iterator;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import kotlin.sequences.Sequence;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** Results whose code runs after the method has returned, when the lock is free. */
class LateResultsTests {

	@ParameterizedTest
	@ValueSource(classes = { Streaming.class, Counting.class, Iterating.class, InKotlin.class, InOptional.class,
			InFuture.class })
	void resultWhenReadLaterIsRefused(Class<?> bean) {
		MethodLockSpecInvalidTests.assertRefused(bean, "whose work starts after the method has returned",
				"Return the value itself, such as a List");
	}

	@ParameterizedTest
	@ValueSource(classes = { Calling.class, Running.class, Supplying.class, Numbering.class })
	void resultWhenCodeIsRefused(Class<?> bean) {
		MethodLockSpecInvalidTests.assertRefused(bean, "whose work starts after the method has returned",
				"guard the method that does the work");
	}

	/**
	 * A plain future has no callback for its completion, so the lock cannot be kept until
	 * then.
	 */
	@Test
	void resultWhenPlainFutureIsRefused() {
		MethodLockSpecInvalidTests.assertRefused(PlainFuture.class,
				"it returns a java.util.concurrent.Future, for the end of which the lock cannot be kept",
				"Declare CompletableFuture or CompletionStage as its result");
	}

	/** The caller could not be given one of them that waits for the release. */
	@ParameterizedTest
	@ValueSource(classes = { ForeignFuture.class, ForeignStage.class })
	void resultWhenForeignFutureIsRefused(Class<?> bean) {
		MethodLockSpecInvalidTests.assertRefused(bean, ", for the end of which the lock cannot be kept",
				"Declare CompletableFuture or CompletionStage as its result.");
	}

	@Test
	void resultWhenTypeOfTheApplicationIsAccepted() {
		try (GuardedContext context = GuardedContext.of(Own.class)) {
			assertThat(context.bean(Own.class).guarded().get()).isEqualTo("price");
		}
	}

	@Test
	void futureWhenDeclaredAsObjectAndPendingFails() {
		try (GuardedContext context = GuardedContext.of(Anything.class)) {
			assertThatIllegalStateException()
				.isThrownBy(() -> context.bean(Anything.class).result(new CompletableFuture<>()))
				.withMessageContaining("is a future that is still pending, and the lock is released")
				.withMessageContaining("declare CompletableFuture as the guarded method's result");
			assertThat(context.isLocked("late")).isFalse();
		}
	}

	@Test
	void sequenceWhenDeclaredAsObjectFailsWithoutRunning() {
		try (GuardedContext context = GuardedContext.of(Anything.class)) {
			assertThatIllegalStateException().isThrownBy(() -> context.bean(Anything.class).result(Mono.just("late")))
				.withMessageContaining("whose work starts after the method has returned")
				.withMessageContaining("a Mono, a Flux");
			assertThat(context.isLocked("late")).isFalse();
		}
	}

	@Test
	void streamWhenDeclaredAsObjectFails() {
		try (GuardedContext context = GuardedContext.of(Anything.class)) {
			assertThatIllegalStateException().isThrownBy(() -> context.bean(Anything.class).result(Stream.of("late")))
				.withMessageContaining("Return the value itself, such as a List");
		}
	}

	@Test
	void valueWhenDeclaredAsObjectIsReturned() {
		try (GuardedContext context = GuardedContext.of(Anything.class)) {
			assertThat(context.bean(Anything.class).result("now")).isEqualTo("now");
			assertThat(context.bean(Anything.class).result(CompletableFuture.completedFuture("now")))
				.isInstanceOf(CompletableFuture.class);
		}
	}

	static class Anything {

		@DistributedLock(key = "'late'")
		public Object result(Object value) {
			return value;
		}

	}

	static class Streaming {

		@DistributedLock
		public Stream<String> guarded() {
			return Stream.of("late");
		}

	}

	static class Counting {

		@DistributedLock
		public IntStream guarded() {
			return IntStream.of(1);
		}

	}

	static class Iterating {

		@DistributedLock
		public Iterator<String> guarded() {
			throw new AssertionError("never called");
		}

	}

	static class InKotlin {

		@DistributedLock
		public Sequence<String> guarded() {
			throw new AssertionError("never called");
		}

	}

	static class InOptional {

		@DistributedLock
		public Optional<Stream<String>> guarded() {
			return Optional.empty();
		}

	}

	static class InFuture {

		@DistributedLock
		public CompletableFuture<Stream<String>> guarded() {
			return new CompletableFuture<>();
		}

	}

	static class Calling {

		@DistributedLock
		public Callable<String> guarded() {
			return () -> "late";
		}

	}

	static class Running {

		@DistributedLock
		public Runnable guarded() {
			return () -> {
			};
		}

	}

	static class Supplying {

		@DistributedLock
		public Supplier<String> guarded() {
			return () -> "late";
		}

	}

	static class Numbering {

		@DistributedLock
		public IntSupplier guarded() {
			return () -> 1;
		}

	}

	static class PlainFuture {

		@DistributedLock
		public Future<String> guarded() {
			throw new AssertionError("never called");
		}

	}

	static class ForeignStage {

		@DistributedLock
		public OwnStage guarded() {
			throw new AssertionError("never called");
		}

	}

	static class OwnStage extends CompletableFuture<String> {

	}

	static class ForeignFuture {

		@DistributedLock
		public FutureTask<String> guarded() {
			throw new AssertionError("never called");
		}

	}

	static class Own {

		@DistributedLock
		public Price guarded() {
			return new Price();
		}

	}

	/** A value, although it can be asked like a supplier. */
	static class Price implements Supplier<String> {

		@Override
		public String get() {
			return "price";
		}

	}

}

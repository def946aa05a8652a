package io.distributedlock.interceptor;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockStoreException;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.NullUnmarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class NullableResultsTests {

	private final GuardedContext context = new GuardedContext();

	@AfterEach
	void close() {
		this.context.close();
	}

	private <T> T busy(Class<T> type, Class<?> bean) {
		T guarded = this.context.start(bean).bean(type);
		this.context.holdElsewhere("stock", "k");
		return guarded;
	}

	private Guarded busy() {
		return busy(Guarded.class, Guarded.class);
	}

	@Test
	void skipWhenResultIsNullableIsNull() {
		Guarded guarded = busy();
		assertThat(guarded.jspecify()).isNull();
		assertThat(guarded.nested()).isNull();
		assertThat(guarded.array()).isNull();
		assertThat(guarded.jakarta()).isNull();
		assertThat(guarded.springs()).isNull();
		assertThat(guarded.own()).isNull();
		assertThat(guarded.object()).isNull();
		assertThat(guarded.unmarked()).isNull();
		assertThat(guarded.marked()).isNull();
	}

	@Test
	void skipWhenNullableAndFreeRunsTheMethod() {
		assertThat(this.context.start(Guarded.class).bean(Guarded.class).jspecify()).isEqualTo("body");
	}

	@Test
	void skipWhenValueOfStageIsNullableCompletesWithNull() {
		Guarded guarded = busy();
		assertThat(guarded.future()).isCompletedWithValue(null);
		assertThat(guarded.stage().toCompletableFuture()).isCompletedWithValue(null);
	}

	@Test
	void skipWhenResultCanBeEmptyIsNotNull() {
		Guarded guarded = busy();
		assertThat(guarded.optional()).isEmpty();
		assertThat(guarded.mono().blockOptional()).isEmpty();
	}

	@Test
	void skipWhenStoreCannotBeReachedIsNull() {
		this.context.registry(new BrokenRegistry(LockStoreException.Kind.UNAVAILABLE));
		assertThat(this.context.start(Guarded.class).bean(Guarded.class).jspecify()).isNull();
	}

	@Test
	void skipWhenGlobalAndResultIsNullableIsNull() {
		this.context.global(LockOptions.NONE.withWhenBusy(WhenBusy.SKIP));
		Open guarded = busy(Open.class, Open.class);
		assertThat(guarded.nullable()).isNull();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(guarded::plain);
	}

	@Test
	void skipWhenAHandlerDecidesIsNull() {
		this.context.customize(
				(beans) -> beans.registerBean(LockFailureHandler.class, () -> (failure) -> LockFailureDecision.skip()));
		assertThat(busy(Open.class, Open.class).nullable()).isNull();
	}

	@Test
	void skipWhenAnnotatedInterfaceIsNullableIsNull() {
		this.context.jdkProxies();
		assertThat(busy(Prices.class, PricesOfInterface.class).guarded()).isNull();
	}

	@ParameterizedTest
	@ValueSource(classes = { Plain.class, Primitive.class, Elements.class, NullableFuture.class, FutureOfPlain.class,
			RawFuture.class, Overriding.class })
	void skipWhenResultIsNotNullableIsRefused(Class<?> bean) {
		MethodLockSpecInvalidTests.assertRefused(bean, "whenBusy is SKIP", "declare the value @Nullable");
	}

	/** Annotations of other libraries are known by their simple name only. */
	static class Other {

		@Retention(RetentionPolicy.RUNTIME)
		@Target(ElementType.METHOD)
		@interface Nullable {

		}

	}

	static class Guarded {

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP,
				whenUnavailable = WhenUnavailable.SKIP)
		public @Nullable String jspecify() {
			return "body";
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public Map.@Nullable Entry<String, String> nested() {
			return Map.entry("body", "body");
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public String @Nullable [] array() {
			return new String[0];
		}

		@jakarta.annotation.Nullable
		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public Integer jakarta() {
			return 7;
		}

		@SuppressWarnings("deprecation")
		@org.springframework.lang.Nullable
		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public List<String> springs() {
			return List.of();
		}

		@Other.Nullable
		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public String own() {
			return "body";
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public @Nullable Object object() {
			return "body";
		}

		@NullUnmarked
		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public @Nullable String unmarked() {
			return "body";
		}

		@NullMarked
		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public @Nullable String marked() {
			return "body";
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public CompletableFuture<@Nullable String> future() {
			return new CompletableFuture<>();
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public CompletionStage<@Nullable String> stage() {
			return new CompletableFuture<>();
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public @Nullable Optional<String> optional() {
			return Optional.of("body");
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public @Nullable Mono<String> mono() {
			return Mono.just("body");
		}

	}

	static class Open {

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0")
		public @Nullable String nullable() {
			return "body";
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0")
		public String plain() {
			return "body";
		}

	}

	interface Prices {

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		@Nullable String guarded();

	}

	static class PricesOfInterface implements Prices {

		@Override
		public String guarded() {
			return "body";
		}

	}

	static class Plain {

		@DistributedLock(whenBusy = WhenBusy.SKIP)
		public String guarded() {
			return "body";
		}

	}

	static class Primitive {

		@Other.Nullable
		@DistributedLock(whenBusy = WhenBusy.SKIP)
		public int guarded() {
			return 7;
		}

	}

	/** Its elements may be null, but not the array. */
	static class Elements {

		@DistributedLock(whenBusy = WhenBusy.SKIP)
		public @Nullable String[] guarded() {
			return new String[0];
		}

	}

	/** Its caller may get no future, but not one of null. */
	static class NullableFuture {

		@DistributedLock(whenBusy = WhenBusy.SKIP)
		public @Nullable CompletableFuture<String> guarded() {
			return new CompletableFuture<>();
		}

	}

	static class FutureOfPlain {

		@DistributedLock(whenBusy = WhenBusy.SKIP)
		public CompletableFuture<String> guarded() {
			return new CompletableFuture<>();
		}

	}

	static class RawFuture {

		@SuppressWarnings("rawtypes")
		@DistributedLock(whenBusy = WhenBusy.SKIP)
		public CompletableFuture guarded() {
			return new CompletableFuture<>();
		}

	}

	/** The annotated method promises more than what it overrides. */
	static class Overriding implements Prices {

		@Override
		@DistributedLock(whenBusy = WhenBusy.SKIP)
		public String guarded() {
			return "body";
		}

	}

}

package io.distributedlock.interceptor;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockOptions;
import io.distributedlock.LockStoreException;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.FencingToken;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.annotation.Order;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class LockFailureHandlerTests {

	private final GuardedContext context = new GuardedContext();

	private final List<LockFailure> asked = new ArrayList<>();

	@AfterEach
	void close() {
		this.context.close();
	}

	private LockFailureHandlerTests handler(LockFailureHandler handler) {
		this.context.customize((beans) -> beans.registerBean(LockFailureHandler.class, () -> (failure) -> {
			this.asked.add(failure);
			return handler.decide(failure);
		}));
		return this;
	}

	private LockFailureHandlerTests handler(LockFailureDecision decision) {
		return handler((failure) -> decision);
	}

	private Guarded busy() {
		Guarded guarded = this.context.start(Guarded.class).bean(Guarded.class);
		this.context.holdElsewhere("stock", "k");
		return guarded;
	}

	private Guarded unavailable() {
		this.context.registry(new BrokenRegistry(LockStoreException.Kind.UNAVAILABLE));
		return this.context.start(Guarded.class).bean(Guarded.class);
	}

	@Test
	void handlerWhenBusyIsToldOfTheCall() {
		Guarded guarded = handler(LockFailureDecision.result("instead")).busy();
		assertThat(guarded.text()).isEqualTo("instead");
		assertThat(this.asked).singleElement().satisfies((failure) -> {
			assertThat(failure.isBusy()).isTrue();
			assertThat(failure.cause()).isInstanceOf(LockNotAcquiredException.class);
			assertThat(failure.method().getName()).isEqualTo("text");
			assertThat(failure.targetClass()).isEqualTo(Guarded.class);
			assertThat(failure.request().keys()).containsExactly("k");
		});
	}

	@Test
	void handlerWhenUnavailableIsToldOfTheOutage() {
		assertThat(handler(LockFailureDecision.result("instead")).unavailable().text()).isEqualTo("instead");
		assertThat(this.asked).singleElement().satisfies((failure) -> assertThat(failure.isBusy()).isFalse());
	}

	@Test
	void handlerWhenBusyIsToldOfTheArguments() {
		Guarded guarded = handler(LockFailureDecision.result("instead")).busy();
		assertThat(guarded.find("a", null)).isEqualTo("instead");
		assertThat(guarded.findLater("b", 2).join()).isEqualTo("instead");
		assertThat(guarded.findOnSubscription("c", 3).block()).isEqualTo("instead");
		assertThat(this.asked).extracting(LockFailure::arguments)
			.containsExactly(Arrays.asList("a", null), List.of("b", 2), List.of("c", 3));
	}

	@Test
	void handlerWhenUnavailableIsToldOfTheArguments() {
		assertThat(handler(LockFailureDecision.result("instead")).unavailable().find("a", 1)).isEqualTo("instead");
		assertThat(this.asked).extracting(LockFailure::arguments).containsExactly(List.of("a", 1));
	}

	@Test
	void argumentsWhenChangedAreRefused() {
		handler(LockFailureDecision.result("instead")).busy().find("a", null);
		assertThatExceptionOfType(UnsupportedOperationException.class)
			.isThrownBy(() -> this.asked.get(0).arguments().set(0, "b"));
	}

	/** An argument may be a secret, or an object that reads a database to be shown. */
	@Test
	void argumentsWhenTheFailureIsLoggedAreNotShown() {
		handler(LockFailureDecision.result("instead")).busy().find("secret", null);
		assertThat(this.asked.get(0)).asString().contains("find(", "stock:k").doesNotContain("secret");
	}

	@Test
	void tokenWhenTheHandlerSeesItIsZero() {
		Guarded guarded = handler(LockFailureDecision.rethrow()).busy();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> guarded.fenced(7));
		assertThat(this.asked).extracting(LockFailure::arguments).containsExactly(List.of(0L));
	}

	@Test
	void resultWhenMethodReturnsStageIsItsValue() {
		assertThat(handler(LockFailureDecision.result("instead")).busy().stage().join()).isEqualTo("instead");
	}

	@Test
	void resultWhenItIsAFutureAlreadyIsReturned() {
		CompletableFuture<String> instead = CompletableFuture.completedFuture("instead");
		assertThat(handler(LockFailureDecision.result(instead)).busy().future()).isSameAs(instead);
	}

	@Test
	void resultWhenItIsAnotherStageIsWaitedFor() {
		CompletableFuture<String> later = new CompletableFuture<>();
		CompletableFuture<String> result = handler(LockFailureDecision.result(later.minimalCompletionStage())).busy()
			.stage();
		assertThat(result).isNotDone();
		later.complete("instead");
		assertThat(result.join()).isEqualTo("instead");
	}

	@Test
	void resultWhenMethodReturnsReactiveTypeIsItsValue() {
		assertThat(handler(LockFailureDecision.result("instead")).busy().some().collectList().block())
			.containsExactly("instead");
	}

	@Test
	void resultWhenMethodReturnsReactiveTypeAndThereIsNoneIsEmpty() {
		assertThat(handler(LockFailureDecision.result(null)).busy().some().collectList().block()).isEmpty();
	}

	@Test
	void resultWhenItIsAnotherReactiveTypeIsWhatThatEmits() {
		assertThat(handler(LockFailureDecision.result(Mono.just("instead"))).busy().some().collectList().block())
			.containsExactly("instead");
	}

	@Test
	void resultWhenMethodIsVoidIsIgnored() {
		Guarded guarded = handler(LockFailureDecision.result("instead")).busy();
		guarded.nothing();
		assertThat(guarded.calls).isZero();
	}

	@Test
	void resultWhenOfAnotherTypeFailsWithTheCauseSuppressed() {
		Guarded guarded = handler(LockFailureDecision.result("seven")).busy();
		assertThatIllegalStateException().isThrownBy(guarded::number)
			.withMessageContaining("number()")
			.satisfies((ex) -> assertThat(ex.getSuppressed()).hasOnlyElementsOfType(LockNotAcquiredException.class));
	}

	@Test
	void skipWhenResultCanBeEmptyIsEmpty() {
		assertThat(handler(LockFailureDecision.skip()).busy().optional()).isEmpty();
	}

	@Test
	void skipWhenResultCannotBeEmptyThrows() {
		Guarded guarded = handler(LockFailureDecision.skip()).busy();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(guarded::number)
			.satisfies(
					(ex) -> assertNotFollowed(ex, "SKIP", "number()", "a result that cannot be empty is not skipped"));
	}

	@Test
	void proceedWhenUnavailableRunsWithoutLockAndTells() {
		List<String> told = new ArrayList<>();
		this.context.listener((request, cause) -> told.add(request.name()));
		assertThat(handler(LockFailureDecision.proceed()).unavailable().text()).isEqualTo("unprotected");
		assertThat(told).containsExactly("stock");
	}

	/** An error of a listener ended the call. */
	@Test
	void proceedWhenListenerFailsRunsTheMethod() {
		this.context.listener((request, cause) -> {
			throw new AssertionError("broken");
		});
		assertThat(handler(LockFailureDecision.proceed()).unavailable().text()).isEqualTo("unprotected");
	}

	@Test
	void proceedWhenBusyThrows() {
		Guarded guarded = handler(LockFailureDecision.proceed()).busy();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(guarded::text)
			.satisfies((ex) -> assertNotFollowed(ex, "PROCEED", "text()", "only an outage"));
	}

	@Test
	void proceedWhenMethodWantsATokenThrows() {
		Guarded guarded = handler(LockFailureDecision.proceed()).unavailable();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> guarded.fenced(0))
			.satisfies((ex) -> assertNotFollowed(ex, "PROCEED", "fenced(long)", "without a fencing token"));
	}

	/** Nothing said why the handler had no effect. */
	private static void assertNotFollowed(Throwable ex, String... parts) {
		assertThat(ex.getSuppressed()).singleElement()
			.satisfies((reason) -> assertThat(reason).hasMessageContainingAll(parts));
	}

	/** It ended in a bare NullPointerException. */
	@Test
	void handlerWhenItDecidesNothingIsNamedWithTheMethod() {
		Guarded guarded = handler((failure) -> null).busy();
		assertThatIllegalStateException().isThrownBy(guarded::text)
			.withMessageContaining(LockFailureHandlerTests.class.getName())
			.withMessageContaining("returned null for " + Guarded.class.getTypeName() + ".text()");
	}

	@Test
	void rethrowWhenConfiguredOtherwiseThrows() {
		this.context.global(LockOptions.NONE.withWhenUnavailable(WhenUnavailable.SKIP));
		Guarded guarded = handler(LockFailureDecision.rethrow()).unavailable();
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(guarded::optional);
	}

	@Test
	void deferWhenNoHandlerDecidesIsWhatIsConfigured() {
		this.context.global(LockOptions.NONE.withWhenUnavailable(WhenUnavailable.SKIP));
		assertThat(handler(LockFailureDecision.defer()).unavailable().optional()).isEmpty();
	}

	@Test
	void handlersWhenSeveralAreAskedInOrder() {
		this.context.customize((beans) -> beans.register(Second.class, First.class));
		assertThat(busy().text()).isEqualTo("second");
	}

	@Test
	void handlerWhenItThrowsIsWhatTheCallerSees() {
		Guarded guarded = handler((failure) -> {
			throw new IllegalStateException("try later");
		}).busy();
		assertThatIllegalStateException().isThrownBy(guarded::text)
			.withMessage("try later")
			.satisfies((ex) -> assertThat(ex.getSuppressed()).singleElement()
				.isInstanceOf(LockNotAcquiredException.class));
	}

	@Test
	void handlerWhenMethodSaysWhatToDoIsNotAsked() {
		Guarded guarded = handler(LockFailureDecision.result("instead")).busy();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(guarded::decided);
		assertThat(guarded.fallingBack()).isEqualTo("fallback");
		assertThat(this.asked).isEmpty();
	}

	@Test
	void handlerWhenProfileSaysWhatToDoIsNotAsked() {
		this.context.profile("stock", LockOptions.NONE.withWhenBusy(WhenBusy.THROW));
		Guarded guarded = handler(LockFailureDecision.result("instead")).busy();
		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(guarded::text);
		assertThat(this.asked).isEmpty();
	}

	@Test
	void handlerWhenJobIsKeptIsNotAsked() {
		Guarded guarded = handler(LockFailureDecision.rethrow()).busy();
		guarded.job();
		assertThat(guarded.calls).isZero();
	}

	@Test
	void handlerWhenStoreIsMisconfiguredIsNotAsked() {
		this.context.registry(new BrokenRegistry(LockStoreException.Kind.MISCONFIGURED));
		handler(LockFailureDecision.skip());
		Guarded guarded = this.context.start(Guarded.class).bean(Guarded.class);
		assertThatExceptionOfType(LockStoreException.class).isThrownBy(guarded::optional);
	}

	@Order(1)
	static class First implements LockFailureHandler {

		@Override
		public LockFailureDecision decide(LockFailure failure) {
			return LockFailureDecision.defer();
		}

	}

	@Order(2)
	static class Second implements LockFailureHandler {

		@Override
		public LockFailureDecision decide(LockFailure failure) {
			return LockFailureDecision.result("second");
		}

	}

	static class Guarded {

		int calls;

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0")
		public String text() {
			return Lease.current().isPresent() ? "protected" : "unprotected";
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0")
		public String find(String text, Object maybe) {
			return text + maybe;
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0")
		public CompletableFuture<String> findLater(String text, Object maybe) {
			return CompletableFuture.completedFuture(text + maybe);
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0")
		public Mono<String> findOnSubscription(String text, Object maybe) {
			return Mono.just(text + maybe);
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0")
		public int number() {
			return 7;
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0")
		public void nothing() {
			this.calls++;
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0")
		public Optional<String> optional() {
			return Optional.of("body");
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0")
		public CompletableFuture<String> stage() {
			return CompletableFuture.completedFuture("body");
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0")
		public Flux<String> some() {
			return Flux.just("body");
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0")
		public CompletionStage<String> future() {
			return CompletableFuture.completedFuture("body");
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0")
		public void fenced(@FencingToken long token) {
			this.calls++;
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", whenBusy = WhenBusy.THROW)
		public String decided() {
			return "body";
		}

		@DistributedLock(name = "stock", key = "'k'", waitFor = "0", fallback = "fallback")
		public String fallingBack() {
			return "body";
		}

		String fallback() {
			return "fallback";
		}

		@DistributedLock(name = "stock", key = "'k'", keepFor = "1m")
		public void job() {
			this.calls++;
		}

	}

}

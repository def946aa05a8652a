package io.distributedlock.interceptor;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockOptions;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.Renewal;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.ConnectableFlux;

import org.springframework.beans.factory.BeanCreationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class MethodLockSpecInvalidTests {

	@Test
	void durationWhenMalformedNamesTheAttribute() {
		assertRefused(BadDuration.class, "ttl \"soon\" is not a duration", "10s");
	}

	@Test
	void ttlWhenTooShortToRenewSaysHowLong() {
		assertRefused(ShortTtl.class, "ttl 50ms is too short to be renewed", "renew = Renewal.OFF");
	}

	@Test
	void placeholderWhenUnknownIsNamed() {
		assertRefused(UnknownPlaceholder.class, "name \"${no.such.property}\" cannot be resolved",
				"Define the property");
	}

	@Test
	void ttlWhenWithoutUnitSaysThatItIsMilliseconds() {
		assertRefused(BareTtl.class, "ttl 10ms is too short to be renewed", "a number without a unit is milliseconds");
	}

	@Test
	void placeholderWhenUnknownInAKeyNamesTheAttribute() {
		assertRefused(UnknownPlaceholderInKey.class, "key \"'${no.such.property}'\" cannot be resolved",
				"Define the property");
	}

	@Test
	void placeholderWhenUnknownInADurationNamesTheAttribute() {
		assertRefused(UnknownPlaceholderInTtl.class, "ttl \"${no.such.property}\" cannot be resolved",
				"write a default after a colon");
	}

	@Test
	void nameWhenBlankIsRefused() {
		assertRefused(BlankName.class, "name \" \" is blank", "leave it out");
	}

	@Test
	void maxHoldWhenRenewalIsOffIsRefused() {
		assertRefused(UnusedMaxHold.class, "maxHold \"1m\" has no effect", "the ttl is a hard limit");
	}

	@Test
	void keyWhenValueSaysOtherwiseIsRefused() {
		assertRefused(TwoKeys.class, "contradicts itself", "either key or value");
	}

	@ParameterizedTest
	@ValueSource(classes = { ThrowAndFallback.class, SkipAndFallback.class })
	void fallbackWhenNeverCalledIsRefused(Class<?> bean) {
		assertRefused(bean, "so it would never be called", "Remove the attribute fallback, or whenBusy");
	}

	@Test
	void fallbackWhenItIsTheMethodItselfIsRefused() {
		assertRefused(FallbackOnItself.class, "'guarded' does not exist, does not fit, or is the method itself",
				"Add a method 'guarded' to the class");
	}

	@Test
	void skipWhenResultIsPrimitiveIsRefused() {
		assertRefused(SkippedPrimitive.class, "whenBusy is SKIP", "Return void, Optional");
	}

	@Test
	void skipWhenFutureOfPlainValueIsRefused() {
		assertRefused(SkippedFuture.class, "whenBusy is SKIP", "a future of Void or Optional");
	}

	@Test
	void skipWhenUnavailableAndResultIsPlainIsRefused() {
		assertRefused(SkippedUnavailable.class, "whenUnavailable is SKIP", "Return void, Optional");
	}

	@Test
	void skipWhenProfileAsksForItAndResultIsPlainIsRefused() {
		GuardedContext context = new GuardedContext().profile("stock", LockOptions.NONE.withWhenBusy(WhenBusy.SKIP));
		assertRefused(context, Profiled.class, "whenBusy is SKIP", "Return void, Optional");
	}

	@Test
	void skipWhenGlobalAndResultIsPlainThrowsInstead() {
		try (GuardedContext context = new GuardedContext()
			.global(LockOptions.NONE.withWhenUnavailable(WhenUnavailable.SKIP))
			.start(Profiled.class)) {
			assertThat(context.bean(Profiled.class).guarded()).isZero();
		}
	}

	@Test
	void fallbackWhenNotNamedIsRefused() {
		assertRefused(NoFallback.class, "there is no fallback method", "attribute fallback");
	}

	/** The property was not named, and the annotation says nothing of a fallback. */
	@Test
	void fallbackWhenProfileAsksForItNamesTheProperty() {
		GuardedContext context = new GuardedContext().profile("stock",
				LockOptions.NONE.withWhenBusy(WhenBusy.FALLBACK));
		assertRefused(context, Profiled.class,
				"whenBusy is FALLBACK (distributed-lock.locks.stock.when-busy), but there is no fallback method",
				"attribute fallback");
	}

	@Test
	void fallbackWhenMissingSaysWhatToAdd() {
		assertRefused(MissingFallback.class, "'other' does not exist", "[String]");
	}

	@Test
	void fallbackWhenParametersDifferSaysWhatToAdd() {
		assertRefused(OtherFallback.class, "'other' does not exist, does not fit", "[String]");
	}

	@Test
	void fallbackWhenResultDiffersIsRefused() {
		assertRefused(WrongFallback.class, "'other' does not exist, does not fit", "returns int");
	}

	@ParameterizedTest
	@ValueSource(classes = { PrivateMethod.class, FinalMethod.class, StaticMethod.class, FinalClass.class,
			FinalUnderClass.class })
	void methodWhenNoProxyCanGuardItIsRefused(Class<?> bean) {
		assertRefused(bean, "so no proxy can guard it", ".");
	}

	@Test
	void classWhenAnnotatedAllowsPrivateAndStaticMethods() {
		try (GuardedContext context = GuardedContext.of(AnnotatedClass.class)) {
			assertThat(context.bean(AnnotatedClass.class).guarded()).isTrue();
		}
	}

	@Test
	void resultWhenForeignPublisherIsRefused() {
		assertRefused(Reactive.class, "whose work starts after the method has returned", "a Mono, a Flux");
	}

	@Test
	void resultWhenSuspendingAndLibrariesAreMissingIsRefused() {
		assertRefused(Suspending.class, "it is a suspending function", "Add kotlinx-coroutines-reactor");
	}

	@Test
	void registryWhenMissingNamesThoseThatExist() {
		assertRefused(UnknownRegistry.class, "no LockRegistry bean named 'nowhere'", "distributedLockRegistry");
	}

	@Test
	void registryWhenSeveralAndOneIsPrimaryIsAccepted() {
		try (DefaultLockRegistry other = new DefaultLockRegistry(new MemoryLockStore());
				GuardedContext context = new GuardedContext()
					.customize((beans) -> beans.registerBean("other", DefaultLockRegistry.class, () -> other))
					.start(Profiled.class)) {
			assertThat(context.bean(Profiled.class).guarded()).isZero();
		}
	}

	static void assertRefused(Class<?> bean, String problem, String remedy) {
		assertRefused(new GuardedContext(), bean, problem, remedy);
	}

	static void assertRefused(GuardedContext context, Class<?> bean, String problem, String remedy) {
		try (context) {
			assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> context.start(bean))
				.satisfies((ex) -> {
					InvalidLockDeclarationException invalid = (InvalidLockDeclarationException) ex.getCause();
					assertThat(invalid).hasMessageContaining(bean.getTypeName() + ".guarded(")
						.hasMessageContaining(problem);
					assertThat(invalid.getDescription() + invalid.getRemedy()).contains(remedy);
				});
		}
	}

	static class BareTtl {

		@DistributedLock(ttl = "10")
		public void guarded() {
		}

	}

	static class UnknownPlaceholderInKey {

		@DistributedLock("'${no.such.property}'")
		public void guarded() {
		}

	}

	static class UnknownPlaceholderInTtl {

		@DistributedLock(ttl = "${no.such.property}")
		public void guarded() {
		}

	}

	static class BlankName {

		@DistributedLock(name = " ")
		public void guarded() {
		}

	}

	static class UnusedMaxHold {

		@DistributedLock(maxHold = "1m", renew = Renewal.OFF)
		public void guarded() {
		}

	}

	static class TwoKeys {

		@DistributedLock(key = "#p0", value = "#p1")
		public void guarded(String order, String item) {
		}

	}

	static class ThrowAndFallback {

		@DistributedLock(whenBusy = WhenBusy.THROW, fallback = "other")
		public void guarded() {
		}

		public void other() {
		}

	}

	static class SkipAndFallback {

		@DistributedLock(whenBusy = WhenBusy.SKIP, fallback = "other")
		public void guarded() {
		}

		public void other() {
		}

	}

	static class FallbackOnItself {

		@DistributedLock(fallback = "guarded")
		public void guarded() {
		}

	}

	static class BadDuration {

		@DistributedLock(ttl = "soon")
		public void guarded() {
		}

	}

	static class ShortTtl {

		@DistributedLock(ttl = "50ms")
		public void guarded() {
		}

	}

	static class UnknownPlaceholder {

		@DistributedLock(name = "${no.such.property}")
		public void guarded() {
		}

	}

	static class SkippedPrimitive {

		@DistributedLock(whenBusy = WhenBusy.SKIP)
		public int guarded() {
			return 0;
		}

	}

	static class SkippedFuture {

		@DistributedLock(whenBusy = WhenBusy.SKIP)
		public CompletableFuture<String> guarded() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class SkippedUnavailable {

		@DistributedLock(whenUnavailable = WhenUnavailable.SKIP)
		public String guarded() {
			return "";
		}

	}

	static class Profiled {

		@DistributedLock(name = "stock")
		public int guarded() {
			return 0;
		}

	}

	static class NoFallback {

		@DistributedLock(whenBusy = WhenBusy.FALLBACK)
		public void guarded() {
		}

	}

	static class MissingFallback {

		@DistributedLock(fallback = "other")
		public void guarded(String order) {
		}

	}

	static class OtherFallback {

		@DistributedLock(fallback = "other")
		public void guarded(String order) {
		}

		public void other(int order) {
		}

	}

	static class WrongFallback {

		@DistributedLock(fallback = "other")
		public int guarded() {
			return 0;
		}

		public String other() {
			return "";
		}

	}

	static class PrivateMethod {

		@DistributedLock
		private void guarded() {
		}

	}

	static class FinalMethod {

		@DistributedLock
		public final void guarded() {
		}

	}

	static class StaticMethod {

		@DistributedLock
		public static void guarded() {
		}

	}

	static final class FinalClass {

		@DistributedLock
		public void guarded() {
		}

	}

	@DistributedLock
	static class FinalUnderClass {

		public final void guarded() {
		}

	}

	@DistributedLock
	static class AnnotatedClass {

		public boolean guarded() {
			return hidden() && open();
		}

		private boolean hidden() {
			return Optional.of(true).get();
		}

		public static boolean open() {
			return true;
		}

	}

	static class Reactive {

		@DistributedLock
		public ConnectableFlux<String> guarded() {
			throw new AssertionError("never called");
		}

	}

	static class Suspending {

		@DistributedLock
		public Object guarded(Continuation<String> continuation) {
			throw new AssertionError("never called");
		}

	}

	static class UnknownRegistry {

		@DistributedLock(registry = "nowhere")
		public void guarded() {
		}

	}

}

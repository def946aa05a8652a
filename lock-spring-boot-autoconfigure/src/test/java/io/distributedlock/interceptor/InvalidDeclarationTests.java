package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;

import io.distributedlock.LockOptions;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import kotlin.coroutines.Continuation;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.ConnectableFlux;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.support.StaticListableBeanFactory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class InvalidDeclarationTests {

	@Test
	void keyWhenUnquotedLiteralHintsAtQuotes() {
		assertRefused(Unquoted.class, "'orders' is neither quoted nor a parameter", "quote it: \"'orders'\"");
	}

	@Test
	void keyWhenUnparsableHintsAtQuotes() {
		assertRefused(Unparsable.class, "cannot be parsed", "quote it: \"'order:42'\"");
	}

	@Test
	void keyWhenParameterUnknownNamesThoseThatExist() {
		assertRefused(UnknownParameter.class, "there is no parameter #ordr", "order");
	}

	@Test
	void keyWhenEmptyIsRefused() {
		assertRefused(EmptyKey.class, "empty lock expression", "leave the key out");
	}

	@Test
	void keyWhenBeanUnknownIsRefused() {
		assertRefused(UnknownBean.class, "there is no bean named 'nobody'", "declare the bean");
	}

	@Test
	void keyWhenFunctionUsedIsRefused() {
		assertRefused(UnknownFunction.class, "#key(#p0) is not known", "There are no functions");
	}

	@Test
	void conditionWhenParameterUnknownIsRefused() {
		assertRefused(UnknownInCondition.class, "there is no parameter #vip", "There are [p0, a0, order]");
	}

	@Test
	void durationWhenMalformedNamesTheAttribute() {
		assertRefused(BadDuration.class, "ttl \"soon\" is not a duration", "10s");
	}

	@Test
	void ttlWhenTooShortToRenewSaysHowLong() {
		assertRefused(ShortTtl.class, "too short to be renewed", "renew=false");
	}

	@Test
	void placeholderWhenUnknownIsNamed() {
		assertRefused(UnknownPlaceholder.class, "no.such.property", "Correct the declaration");
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

	@Test
	void fallbackWhenMissingSaysWhatToAdd() {
		assertRefused(MissingFallback.class, "'other' does not exist", "[String]");
	}

	@Test
	void fallbackWhenParametersDifferShowsWhatIsThere() {
		assertRefused(OtherFallback.class, "other(int)", "[String]");
	}

	@Test
	void fallbackWhenResultDiffersIsRefused() {
		assertRefused(WrongFallback.class, "returns java.lang.String", "Let it return int");
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
		assertRefused(Reactive.class, "whose work starts after the method has returned", "Return a Mono, a Flux");
	}

	@Test
	void resultWhenSuspendingAndLibrariesAreMissingIsRefused() {
		assertRefused(Suspending.class, "it is a suspending function", "Add kotlinx-coroutines-reactor");
	}

	@Test
	void keyWhenClassWasCompiledWithoutNamesSaysHowToCompileIt() throws NoSuchMethodException {
		Method method = List.class.getMethod("remove", int.class);
		LockExpressionParser parser = new LockExpressionParser(new StaticListableBeanFactory(), null);
		assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(() -> parser.parse("#index", method, ArrayList.class, new ParameterNames(method, null)))
			.withMessageContaining("compiled without parameter names")
			.satisfies((ex) -> assertThat(ex.getRemedy()).contains("-parameters").contains("#p0"));
	}

	@Test
	void resultWhenForeignFutureIsRefused() {
		assertRefused(ForeignFuture.class, "java.util.concurrent.FutureTask", "Declare CompletableFuture");
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

	private static void assertRefused(Class<?> bean, String problem, String remedy) {
		assertRefused(new GuardedContext(), bean, problem, remedy);
	}

	private static void assertRefused(GuardedContext context, Class<?> bean, String problem, String remedy) {
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

	static class Unquoted {

		@DistributedLock("orders")
		public void guarded() {
		}

	}

	static class Unparsable {

		@DistributedLock("order:42")
		public void guarded() {
		}

	}

	static class UnknownParameter {

		@DistributedLock("#ordr.id")
		public void guarded(String order) {
		}

	}

	static class EmptyKey {

		@DistributedLock("")
		public void guarded() {
		}

	}

	static class UnknownBean {

		@DistributedLock("@nobody.key()")
		public void guarded() {
		}

	}

	static class UnknownFunction {

		@DistributedLock("#key(#p0)")
		public void guarded(String order) {
		}

	}

	static class UnknownInCondition {

		@DistributedLock(condition = "#vip")
		public void guarded(String order) {
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

	static class ForeignFuture {

		@DistributedLock
		public FutureTask<String> guarded() {
			throw new AssertionError("never called");
		}

	}

	static class UnknownRegistry {

		@DistributedLock(registry = "nowhere")
		public void guarded() {
		}

	}

}

package io.distributedlock.interceptor;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenBusy;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.FencingToken;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanCreationException;
import org.springframework.core.annotation.AliasFor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LockInterceptorRepeatedTests {

	private final GuardedContext context = new GuardedContext();

	@AfterEach
	void close() {
		this.context.close();
	}

	private Guarded guarded() {
		return this.context.start(Guarded.class).bean(Guarded.class);
	}

	@Test
	void locksWhenRepeatedAreTakenInOrderAndReleasedInReverse() {
		List<String> log = new ArrayList<>();
		try (Recording registry = new Recording(log)) {
			this.context.registry(registry);
			guarded().both("1", "2");
		}
		assertThat(log).containsExactly("acquire order:1", "acquire customer:2", "release customer:2",
				"release order:1");
	}

	@Test
	void locksWhenResultIsPendingAreHeldUntilItCompletes() {
		CompletableFuture<String> pending = new CompletableFuture<>();
		CompletableFuture<String> result = guarded().later(pending);
		assertThat(this.context.isLocked("order", "k")).isTrue();
		assertThat(this.context.isLocked("customer", "k")).isTrue();
		pending.complete("done");
		assertThat(result.join()).isEqualTo("done");
		assertThat(this.context.isLocked("order", "k")).isFalse();
		assertThat(this.context.isLocked("customer", "k")).isFalse();
	}

	@Test
	void innerWhenBusyReleasesTheOuterAndFollowsItsOwnPolicy() {
		Guarded guarded = guarded();
		try (Lease busy = this.context.holdElsewhere("customer", "k")) {
			assertThat(guarded.innerSkips()).isEmpty();
			assertThat(this.context.isLocked("order", "k")).isFalse();
		}
	}

	@Test
	void outerWhenBusyFollowsItsOwnPolicy() {
		Guarded guarded = guarded();
		try (Lease busy = this.context.holdElsewhere("order", "k")) {
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(guarded::innerSkips);
		}
	}

	@Test
	void conditionWhenFalseLeavesTheOtherLock() {
		assertThat(guarded().conditional()).containsExactly("customer");
	}

	@Test
	void tokenWhenLockIsNamedIsThatLocks() {
		assertThat(guarded().tokens(0, 0)).isEqualTo("same");
	}

	@Test
	void annotationsWhenComposedOnOneElementAddUp() {
		assertThat(guarded().composed(this.context)).isEqualTo("order and customer");
	}

	@Test
	void annotationsWhenOnMethodAndClassDoNotAddUp() {
		this.context.start(WithClass.class);
		assertThat(this.context.bean(WithClass.class).method(this.context)).containsExactly(false, true);
	}

	@Test
	void annotationsWhenRepeatedOnInterfaceGuardItsMethods() {
		this.context.start(PlainShop.class);
		assertThat(this.context.bean(PlainShop.class).buy(this.context)).containsExactly(true, true);
	}

	@Test
	void tokenWhenLockIsNotNamedStopsTheStart() {
		assertRefused(UnnamedToken.class,
				"its @FencingToken parameter 1 ('token') has to name one of its locks but names none. "
						+ "Give each lock a name of its own, and name one in @FencingToken(name = \"…\"); there are [order, customer]");
	}

	@Test
	void tokenWhenNameIsUnknownStopsTheStart() {
		assertRefused(UnknownToken.class, "names 'stock', of which there are 0");
	}

	private void assertRefused(Class<?> bean, String problem) {
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> this.context.start(bean))
			.havingCause()
			.isInstanceOf(InvalidLockDeclarationException.class)
			.withMessageContaining(problem);
	}

	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "order")
	@interface OrderLock {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String[] id();

	}

	@Target({ ElementType.METHOD, ElementType.TYPE })
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(name = "customer", key = "'k'")
	@interface CustomerLock {

	}

	static class Guarded {

		@DistributedLock(name = "order", key = "#order")
		@DistributedLock(name = "customer", key = "#customer")
		public void both(String order, String customer) {
		}

		@DistributedLock(name = "order", key = "'k'")
		@DistributedLock(name = "customer", key = "'k'")
		public CompletableFuture<String> later(CompletableFuture<String> pending) {
			return pending;
		}

		@DistributedLock(name = "order", key = "'k'", waitFor = "0")
		@DistributedLock(name = "customer", key = "'k'", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public Optional<String> innerSkips() {
			return Optional.of("body");
		}

		@DistributedLock(name = "order", key = "'k'", condition = "false")
		@DistributedLock(name = "customer", key = "'k'")
		public List<String> conditional() {
			return List.of(Lease.current().orElseThrow().name());
		}

		@DistributedLock(name = "order", key = "'k'")
		@DistributedLock(name = "customer", key = "'k'")
		public String tokens(@FencingToken(name = "order") long order, @FencingToken(name = "customer") long customer) {
			return (order > 0 && order != customer && customer == Lease.current().orElseThrow().fencingToken()) ? "same"
					: "other";
		}

		@OrderLock(id = "'k'")
		@CustomerLock
		public String composed(GuardedContext context) {
			return (context.isLocked("order", "k") ? "order" : "") + " and "
					+ (context.isLocked("customer", "k") ? "customer" : "");
		}

	}

	@DistributedLock(name = "order", key = "'k'")
	static class WithClass {

		@DistributedLock(name = "customer", key = "'k'")
		public List<Boolean> method(GuardedContext context) {
			return List.of(context.isLocked("order", "k"), context.isLocked("customer", "k"));
		}

	}

	@DistributedLock(name = "order", key = "'k'")
	@DistributedLock(name = "customer", key = "'k'")
	interface Shop {

		List<Boolean> buy(GuardedContext context);

	}

	static class PlainShop implements Shop {

		@Override
		public List<Boolean> buy(GuardedContext context) {
			return List.of(context.isLocked("order", "k"), context.isLocked("customer", "k"));
		}

	}

	static class UnnamedToken {

		@DistributedLock(name = "order", key = "'k'")
		@DistributedLock(name = "customer", key = "'k'")
		public void guarded(@FencingToken long token) {
		}

	}

	static class UnknownToken {

		@DistributedLock(name = "order", key = "'k'")
		@DistributedLock(name = "customer", key = "'k'")
		public void guarded(@FencingToken(name = "stock") long token) {
		}

	}

	/** Writes down the locks that are acquired and released. */
	private record Recording(List<String> log, DefaultLockRegistry delegate) implements LockRegistry, AutoCloseable {

		Recording(List<String> log) {
			this(log, new DefaultLockRegistry(new MemoryLockStore()));
		}

		@Override
		public LeaseLock getLock(String name, String key) {
			return this.delegate.getLock(name, key);
		}

		@Override
		public Lease acquire(LockRequest request) {
			this.log.add("acquire " + request.name() + ":" + request.keys().get(0));
			return new DelegatingLease(this.delegate.acquire(request)) {
				@Override
				public void close() {
					Recording.this.log.add("release " + name() + ":" + key());
					super.close();
				}
			};
		}

		@Override
		public Optional<Lease> tryAcquire(LockRequest request) {
			return this.delegate.tryAcquire(request);
		}

		@Override
		public CompletionStage<Lease> acquireAsync(LockRequest request) {
			return this.delegate.acquireAsync(request);
		}

		@Override
		public void close() {
			this.delegate.close();
		}

	}

}

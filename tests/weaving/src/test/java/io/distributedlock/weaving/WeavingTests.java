package io.distributedlock.weaving;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockRequest;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.DistributedLockDisabledAutoConfiguration;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.interceptor.InvalidLockDeclarationException;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.memory.MemoryLocks;
import io.distributedlock.store.LockStore;
import io.distributedlock.weaving.AnnotatedTypes.ByCallback;
import io.distributedlock.weaving.AnnotatedTypes.ByClass;
import io.distributedlock.weaving.AnnotatedTypes.ByComposed;
import io.distributedlock.weaving.AnnotatedTypes.ByComposedTwice;
import io.distributedlock.weaving.AnnotatedTypes.ByInterface;
import io.distributedlock.weaving.AnnotatedTypes.ByInterfaceMethod;
import io.distributedlock.weaving.AnnotatedTypes.ByOverriddenMethod;
import io.distributedlock.weaving.AnnotatedTypes.ByStaticMethod;
import io.distributedlock.weaving.AnnotatedTypes.BySuperclass;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.aop.support.AopUtils;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class WeavingTests {

	private static final String ITEM = "phone";

	private final MemoryLocks locks = new MemoryLocks();

	private final DefaultLockRegistry elsewhere = new DefaultLockRegistry(new MemoryLockStore(this.locks));

	private final Stock stock = new Stock(ITEM);

	private final ApplicationContextRunner application = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				DistributedLockDisabledAutoConfiguration.class))
		.withBean("distributedLockStore", LockStore.class, () -> new MemoryLockStore(this.locks));

	private final ApplicationContextRunner woven = this.application.withPropertyValues("distributed-lock.store=memory",
			"distributed-lock.advice=aspectj");

	@AfterEach
	void close() {
		this.elsewhere.close();
	}

	private Lease holdElsewhere() {
		return this.elsewhere.acquire(LockRequest.of("stock", ITEM));
	}

	@Test
	void methodWhenCalledFromTheSameObjectIsGuarded() {
		this.woven.run((context) -> assertThat(this.stock.isLockedByCallOfItsOwn()).isTrue());
	}

	@Test
	void methodWhenPrivateIsGuarded() {
		this.woven.run((context) -> assertThat(this.stock.isLockedInPrivate()).isTrue());
	}

	@Test
	void lockWhenMethodIsDoneIsReleased() {
		this.woven.run((context) -> {
			this.stock.takeOrFail();
			assertThat(this.locks.isLocked("stock", ITEM)).isFalse();
		});
	}

	@Test
	void lockWhenHeldElsewhereIsBusy() {
		this.woven.run((context) -> {
			Lease held = holdElsewhere();
			assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(this.stock::takeOrFail);
			assertThat(this.stock.takeOrSkip()).isEmpty();
			assertThat(this.stock.takeOrNone(3)).isEqualTo(-3);
			held.close();
			assertThat(this.stock.takeOrSkip()).contains(ITEM);
			assertThat(this.stock.takeOrNone(3)).isEqualTo(3);
		});
	}

	@Test
	void lockWhenResultIsPendingIsKept() {
		this.woven.run((context) -> {
			CompletableFuture<String> done = new CompletableFuture<>();
			CompletableFuture<String> result = this.stock.takeLater(done);
			assertThat(this.locks.isLocked("stock", ITEM)).isTrue();
			done.complete("taken");
			assertThat(result.join()).isEqualTo("taken");
			assertThat(this.locks.isLocked("stock", ITEM)).isFalse();
		});
	}

	@Test
	void exceptionWhenThrownByTheMethodReachesTheCaller() {
		this.woven.run((context) -> assertThatIllegalStateException().isThrownBy(this.stock::fail).withMessage("body"));
	}

	@Test
	void annotationWhenRepeatedTakesAllLocks() {
		this.woven.run((context) -> assertThat(this.stock.isLockedTwice(this.locks)).isTrue());
	}

	@Test
	void parameterWhenMeantForTheTokenReceivesIt() {
		this.woven.run((context) -> assertThat(this.stock.isFenced(0)).isTrue());
	}

	@Test
	void methodWhenReactiveIsCalledForEachSubscription() {
		this.woven.run((context) -> {
			Mono<Long> token = this.stock.tokenOfEachSubscription(0);
			assertThat(this.locks.isLocked("stock", ITEM)).isFalse();
			long first = token.block();
			assertThat(token.block()).isGreaterThan(first);
			assertThat(this.locks.isLocked("stock", ITEM)).isFalse();
		});
	}

	@Test
	void methodWhenReactiveAndSubscribedByManyGivesEachItsOwnToken() {
		this.woven.run((context) -> {
			Mono<Long> token = this.stock.tokenOfEachSubscription(0);
			List<Long> tokens = Flux.range(0, 50).flatMap((i) -> token, 50).collectList().block();
			assertThat(tokens).hasSize(50).doesNotHaveDuplicates();
		});
	}

	@Test
	void annotationWhenComposedOrOnATypeIsFound() {
		this.woven.run((context) -> {
			assertThat(new ByComposed().isLocked()).isTrue();
			assertThat(new ByComposedTwice().isLocked()).isTrue();
			assertThat(new ByClass().isLocked()).isTrue();
			assertThat(new ByClass().isLockedPackagePrivate()).isFalse();
			assertThat(new BySuperclass().isLocked()).isTrue();
			assertThat(new BySuperclass().isLockedBelow()).isTrue();
			assertThat(new ByInterface().isLocked()).isTrue();
			assertThat(new ByInterface().isOutsideTheInterface()).isTrue();
		});
	}

	@Test
	void beanWhenWovenHasNoProxyAndIsGuarded() {
		this.woven.withBean(ByClass.class).run((context) -> {
			assertThat(AopUtils.isAopProxy(context.getBean(ByClass.class))).isFalse();
			assertThat(context.getBean(ByClass.class).isLocked()).isTrue();
		});
	}

	@Test
	void beanWhenWeavingDoesNotReachItsMethodStopsTheStart() {
		this.woven.withBean(ByInterfaceMethod.class)
			.run((context) -> assertThat(context).getFailure()
				.hasCauseInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContaining("ByInterfaceMethod.isLocked() is not woven"));
		this.woven.withBean(ByOverriddenMethod.class)
			.run((context) -> assertThat(context).getFailure()
				.hasMessageContaining("ByOverriddenMethod.isLocked() is not woven"));
		this.woven.withBean(ByStaticMethod.class)
			.run((context) -> assertThat(context).getFailure().hasMessageContaining("it is static"));
	}

	/** Post-processors do not see such a bean. */
	@Test
	void beanWhenItIsARegisteredObjectIsChecked() {
		this.woven
			.withInitializer((context) -> context.getBeanFactory().registerSingleton("object", new ByInterfaceMethod()))
			.run((context) -> assertThat(context).getFailure()
				.isInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContaining("ByInterfaceMethod.isLocked() is not woven"));
		this.woven.withInitializer((context) -> context.getBeanFactory().registerSingleton("object", new ByClass()))
			.run((context) -> assertThat(context.getBean(ByClass.class).isLocked()).isTrue());
	}

	@Test
	void callbackOfTheContainerIsGuarded() {
		this.woven.withBean(ByCallback.class)
			.run((context) -> assertThat(context.getBean(ByCallback.class).wasLocked()).isTrue());
	}

	@Test
	void beanWhenDeclarationIsInvalidStopsTheStart() {
		this.woven.withBean(Stock.class, () -> this.stock)
			.run((context) -> assertThat(context).getFailure()
				.hasCauseInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContaining("Stock.invalid()"));
	}

	@Test
	void declarationWhenInvalidIsRefusedByTheFirstCallOfANonBean() {
		this.woven.run((context) -> assertThatExceptionOfType(InvalidLockDeclarationException.class)
			.isThrownBy(this.stock::invalid));
	}

	@Test
	void methodWhenAdviceIsProxyRunsAsItIs() {
		this.application.withPropertyValues("distributed-lock.store=memory").run((context) -> {
			assertThat(this.stock.isLockedByCallOfItsOwn()).isFalse();
			Lease held = holdElsewhere();
			this.stock.takeOrFail();
			held.close();
		});
	}

	@Test
	void beanWhenAdviceIsProxyIsGuardedByItsProxyAlone() {
		this.application.withPropertyValues("distributed-lock.store=memory").withBean(ByClass.class).run((context) -> {
			assertThat(AopUtils.isAopProxy(context.getBean(ByClass.class))).isTrue();
			assertThat(context.getBean(ByClass.class).isLocked()).isTrue();
			assertThat(new ByClass().isLocked()).isFalse();
		});
	}

	@Test
	void methodWhenLocksAreSwitchedOffRunsAsItIs() {
		this.woven.withPropertyValues("distributed-lock.enabled=false")
			.run((context) -> assertThat(this.stock.isLockedByCallOfItsOwn()).isFalse());
	}

	@Test
	void callWhenThereIsNoContextIsRefusedWithTheReason() {
		assertThatIllegalStateException().isThrownBy(this.stock::takeOrFail)
			.withMessageContaining("Stock.takeOrFail()")
			.withMessageContaining("no application context");
		this.woven.run((context) -> this.stock.takeOrFail());
		assertThatIllegalStateException().isThrownBy(this.stock::takeOrFail)
			.withMessageContaining("no application context");
	}

	@Test
	void callWhenThereAreSeveralContextsFollowsTheLatest() {
		this.woven.run((outer) -> {
			this.application.withPropertyValues("distributed-lock.store=memory")
				.run((inner) -> assertThat(this.stock.isLockedByCallOfItsOwn()).isFalse());
			assertThat(this.stock.isLockedByCallOfItsOwn()).isTrue();
		});
	}

}

package io.distributedlock.autoconfigure;

import java.util.EnumSet;
import java.util.Set;

import io.distributedlock.LockMode;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.FencingToken;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.interceptor.InvalidLockDeclarationException;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.store.LockStore;
import io.distributedlock.store.StoreCapability;
import io.distributedlock.test.store.DelegatingLockStore;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The effect of a request for more than the store offers. */
class StoreCapabilityCheckTests {

	private static final String OFFER = ReadingStore.class.getName() + " offers only locks of mode EXCLUSIVE, READ";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
		.withBean("distributedLockStore", LockStore.class, ReadingStore::new);

	@Test
	void methodWhenItsModeIsNotOfferedStopsTheStart() {
		this.runner.withBean(Fair.class)
			.run((context) -> assertThat(context.getStartupFailure())
				.isInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContaining("Fair.pay()")
				.hasMessageContaining("its mode is FAIR, but " + OFFER)
				.hasMessageEndingWith("Use one of these modes, or another store."));
	}

	@Test
	void methodWhenItsModeIsOfferedIsGuarded() {
		this.runner.withBean(Reader.class).run((context) -> {
			assertThat(context).hasNotFailed();
			context.getBean(Reader.class).look();
		});
	}

	@Test
	void methodWhenItsRegistryOffersItsModeIsGuarded() {
		this.runner.withBean(FairElsewhere.class)
			.withBean("full", DefaultLockRegistry.class, () -> new DefaultLockRegistry(new MemoryLockStore()),
					(definition) -> definition.setAutowireCandidate(false))
			.run((context) -> {
				assertThat(context).hasNotFailed();
				context.getBean(FairElsewhere.class).pay();
			});
	}

	@Test
	void profileWhenItsModeIsNotOfferedStopsTheStart() {
		this.runner
			.withPropertyValues("distributed-lock.locks.stock.mode=semaphore", "distributed-lock.locks.stock.permits=2")
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidLockPropertyException.class)
				.hasMessage("distributed-lock.locks.stock.mode=semaphore cannot be had: " + OFFER
						+ ". Use one of these modes, or another store."));
	}

	@Test
	void profileWhenDelaysAreNotOfferedStopsTheStart() {
		this.runner.withPropertyValues("distributed-lock.locks.stock.lock-delay=15s")
			.run((context) -> assertThat(context.getStartupFailure()).isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageStartingWith("distributed-lock.locks.stock.lock-delay=PT15S cannot be had: ")
				.hasMessageEndingWith("Remove the property, or use another store."));
	}

	@Test
	void methodWhenItTakesMoreThanIsOfferedStopsTheStart() {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withBean("distributedLockStore", LockStore.class, OnePermit::new)
			.withBean(Large.class)
			.run((context) -> assertThat(context.getStartupFailure())
				.isInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContaining("Large.load()")
				.hasMessageContaining("it takes several permits, but a request takes one permit in the store"));
	}

	@Test
	void methodWhenDelaysAreNotOfferedStopsTheStart() {
		this.runner.withBean(Delayed.class)
			.run((context) -> assertThat(context.getStartupFailure())
				.isInstanceOf(InvalidLockDeclarationException.class)
				.hasMessageContaining("Delayed.send()")
				.hasMessageContaining("it has a lockDelay, but the store"));
	}

	@ParameterizedTest
	@EnumSource(names = { "FAIR", "SEMAPHORE" })
	void requestWhenItsModeIsNotOfferedFailsBeforeAnythingIsSent(LockMode mode) {
		this.runner.run((context) -> {
			LockRegistry registry = context.getBean(LockRegistry.class);
			LockRequest plain = LockRequest.of("k").mode(mode);
			LockRequest request = (mode == LockMode.SEMAPHORE) ? plain.permits(2) : plain;
			assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> registry.acquire(request))
				.withMessage("Cannot acquire 'k' in mode " + mode + ": " + OFFER
						+ ". Use one of these modes, or another store")
				.satisfies((ex) -> assertThat(ex.getKind()).isEqualTo(LockStoreException.Kind.MISCONFIGURED));
			assertThat(registry.acquireAsync(request).toCompletableFuture()).failsWithin(Patience.CEILING);
		});
	}

	/** It was refused by the first call, and nothing said so before. */
	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void tokenWhenKeysAreTakenOneAfterTheOtherIsAWarning(CapturedOutput output) {
		this.runner.withBean(Transfers.class).run((context) -> {
			assertThat(context).hasNotFailed();
			assertThat(output.toString().lines().filter((line) -> line.contains("no fencing token in common")))
				.singleElement()
				.asString()
				.contains("Transfers.move(", "[#from, #to]", "as in @FencingToken(\"#from\")");
		});
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void tokenWhenKeysAreTakenTogetherIsNoWarning(CapturedOutput output) {
		new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
			.withPropertyValues("distributed-lock.store=memory")
			.withBean(Transfers.class)
			.run((context) -> {
				assertThat(context).hasNotFailed();
				assertThat(context.getBean(Transfers.class).move("a", "b", 0)).isPositive();
				assertThat(output).doesNotContain("no fencing token in common");
			});
	}

	static class Large {

		@DistributedLock(key = "'k'", mode = LockMode.SEMAPHORE, permits = 9, take = 3)
		public void load() {
		}

	}

	/** Has semaphores, as Redlock has them. */
	static final class OnePermit extends DelegatingLockStore {

		OnePermit() {
			super(new MemoryLockStore());
		}

		@Override
		public Set<StoreCapability> capabilities() {
			return EnumSet.of(StoreCapability.SEMAPHORE);
		}

	}

	static class Delayed {

		@DistributedLock(key = "'k'", lockDelay = "15s")
		public void send() {
		}

	}

	/** Has neither fair locks nor semaphores, and says so. */
	static final class ReadingStore extends DelegatingLockStore {

		ReadingStore() {
			super(new MemoryLockStore());
		}

		@Override
		public Set<StoreCapability> capabilities() {
			return Set.of(StoreCapability.READ);
		}

	}

	static class Fair {

		@DistributedLock(key = "'k'", mode = LockMode.FAIR)
		void pay() {
		}

	}

	static class Reader {

		@DistributedLock(key = "'k'", mode = LockMode.READ)
		void look() {
		}

	}

	static class Transfers {

		@DistributedLock(key = { "#from", "#to" })
		public long move(String from, String to, @FencingToken long token) {
			return token;
		}

		@DistributedLock(key = { "#from", "#to" })
		public long named(String from, String to, @FencingToken("#from") long token) {
			return token;
		}

		@DistributedLock(key = "#to")
		public long alone(String to, @FencingToken long token) {
			return token;
		}

	}

	static class FairElsewhere {

		@DistributedLock(key = "'k'", mode = LockMode.FAIR, registry = "full")
		void pay() {
		}

	}

}

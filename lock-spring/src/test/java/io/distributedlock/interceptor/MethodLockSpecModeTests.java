package io.distributedlock.interceptor;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.FencingToken;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.core.annotation.AliasFor;

import static io.distributedlock.interceptor.MethodLockSpecInvalidTests.assertRefused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/** How attributes reach the request, and which of them stop the start. */
class MethodLockSpecModeTests {

	private static LockOptions requested(GuardedContext context, Class<? extends Runnable> bean) {
		AtomicReference<LockRequest> request = new AtomicReference<>();
		try (context) {
			Runnable guarded = context.registry(new Asked(request)).start(bean).bean(bean);
			assertThatIllegalStateException().isThrownBy(guarded::run).withMessage("asked");
		}
		return request.get().options();
	}

	private static GuardedContext profile(LockOptions profile) {
		return new GuardedContext().profile("exports", profile);
	}

	@Test
	void modeWhenNotSaidIsExclusive() {
		LockOptions options = requested(new GuardedContext(), Plain.class);
		assertThat(options.mode()).isEqualTo(LockMode.EXCLUSIVE);
		assertThat(options.permits()).isNull();
	}

	@Test
	void modeWhenSaidReachesTheRequest() {
		assertThat(requested(new GuardedContext(), Reader.class).mode()).isEqualTo(LockMode.READ);
	}

	@Test
	void permitsWhenSaidReachTheRequest() {
		LockOptions options = requested(new GuardedContext(), Semaphore.class);
		assertThat(options.mode()).isEqualTo(LockMode.SEMAPHORE);
		assertThat(options.permits()).isEqualTo(3);
	}

	@Test
	void permitsWhenRenamedByAComposedAnnotationReachTheRequest() {
		LockOptions options = requested(new GuardedContext(), Composed.class);
		assertThat(options.mode()).isEqualTo(LockMode.SEMAPHORE);
		assertThat(options.permits()).isEqualTo(7);
	}

	@Test
	void profileWhenItHasAModeWinsOverTheAnnotation() {
		assertThat(requested(profile(LockOptions.NONE.withMode(LockMode.FAIR)), Reader.class).mode())
			.isEqualTo(LockMode.FAIR);
	}

	@Test
	void profileWhenItHasPermitsWinsOverTheAnnotation() {
		assertThat(requested(profile(LockOptions.NONE.withPermits(5)), Semaphore.class).permits()).isEqualTo(5);
	}

	@Test
	void profileWhenItMakesASemaphoreOfALockHasTheSay() {
		LockOptions profile = LockOptions.NONE.withMode(LockMode.SEMAPHORE).withPermits(2);
		assertThat(requested(profile(profile), Reader.class)).extracting(LockOptions::mode, LockOptions::permits)
			.containsExactly(LockMode.SEMAPHORE, 2);
	}

	@Test
	void permitsWhenMissingAreAskedFor() {
		assertRefused(NoPermits.class, "Mode SEMAPHORE needs permits: how many may hold", "Correct the annotation");
	}

	@Test
	void permitsWhenMissingForTheModeOfAProfileAreAskedFor() {
		assertRefused(profile(LockOptions.NONE.withMode(LockMode.SEMAPHORE)), Named.class,
				"Mode SEMAPHORE needs permits", "or distributed-lock.* in the configuration");
	}

	@Test
	void permitsWhenNotASemaphoreAreRefused() {
		assertRefused(PermitsOfLock.class, "permits 3 are for mode SEMAPHORE, but the mode is EXCLUSIVE",
				"Correct the annotation");
	}

	@Test
	void permitsWhenAProfileTakesTheSemaphoreAwayAreRefused() {
		assertRefused(profile(LockOptions.NONE.withMode(LockMode.FAIR)), NamedSemaphore.class,
				"permits 3 are for mode SEMAPHORE, but the mode is FAIR", "or distributed-lock.* in the configuration");
	}

	@Test
	void permitsWhenOfAProfileOnlyNamesTheProperty() {
		assertRefused(profile(LockOptions.NONE.withPermits(4)), Named.class,
				"distributed-lock.locks.exports.permits is 4, but the mode of this lock is EXCLUSIVE",
				"set distributed-lock.locks.exports.mode=semaphore beside it, or remove it");
	}

	@ParameterizedTest
	@ValueSource(classes = { NegativePermits.class, ManyPermits.class })
	void permitsWhenOutOfRangeSaysTheRange(Class<?> bean) {
		assertRefused(bean, "permits must be between 1 and 10000 but is ", "Correct the annotation");
	}

	@ParameterizedTest
	@ValueSource(classes = { KeptReader.class, KeptSemaphore.class })
	void keepForWhenThereAreSeveralHoldersIsRefused(Class<?> bean) {
		assertRefused(bean, "keepFor 1m is for modes with one holder, but the mode is ", "Correct the annotation");
	}

	@Test
	void tokenWhenModeIsSemaphoreIsRefused() {
		assertRefused(TokenOfSemaphore.class, "does not tell who is late", "use a mode with one holder");
	}

	/** Records the request, and has no locks. */
	private record Asked(AtomicReference<LockRequest> request) implements LockRegistry {

		@Override
		public LeaseLock getLock(String name, String key) {
			throw new AssertionError("never asked for " + key);
		}

		@Override
		public Optional<Lease> tryAcquire(LockRequest request) {
			throw new AssertionError("never asked for " + request.keys());
		}

		@Override
		public Lease acquire(LockRequest request) {
			this.request.set(request);
			throw new IllegalStateException("asked");
		}

		@Override
		public CompletionStage<Lease> acquireAsync(LockRequest request) {
			throw new AssertionError("never asked for " + request.keys());
		}

	}

	static class Plain implements Runnable {

		@Override
		@DistributedLock
		public void run() {
		}

	}

	static class Reader implements Runnable {

		@Override
		@DistributedLock(name = "exports", mode = LockMode.READ)
		public void run() {
		}

	}

	static class Semaphore implements Runnable {

		@Override
		@DistributedLock(name = "exports", mode = LockMode.SEMAPHORE, permits = 3)
		public void run() {
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(mode = LockMode.SEMAPHORE)
	@interface AtMost {

		@AliasFor(annotation = DistributedLock.class, attribute = "permits")
		int value();

	}

	static class Composed implements Runnable {

		@Override
		@AtMost(7)
		public void run() {
		}

	}

	static class Named {

		@DistributedLock(name = "exports", key = "'pdf'")
		public void guarded() {
		}

	}

	static class NamedSemaphore {

		@DistributedLock(name = "exports", key = "'pdf'", mode = LockMode.SEMAPHORE, permits = 3)
		public void guarded() {
		}

	}

	static class NoPermits {

		@DistributedLock(mode = LockMode.SEMAPHORE)
		public void guarded() {
		}

	}

	static class PermitsOfLock {

		@DistributedLock(permits = 3)
		public void guarded() {
		}

	}

	static class NegativePermits {

		@DistributedLock(mode = LockMode.SEMAPHORE, permits = -1)
		public void guarded() {
		}

	}

	static class ManyPermits {

		@DistributedLock(mode = LockMode.SEMAPHORE, permits = 10_001)
		public void guarded() {
		}

	}

	static class KeptReader {

		@DistributedLock(mode = LockMode.READ, keepFor = "1m")
		public void guarded() {
		}

	}

	static class KeptSemaphore {

		@DistributedLock(mode = LockMode.SEMAPHORE, permits = 2, keepFor = "1m")
		public void guarded() {
		}

	}

	static class TokenOfSemaphore {

		@DistributedLock(mode = LockMode.SEMAPHORE, permits = 2)
		public void guarded(@FencingToken long token) {
		}

	}

}

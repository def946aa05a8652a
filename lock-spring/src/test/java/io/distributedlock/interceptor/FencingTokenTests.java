package io.distributedlock.interceptor;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockException;
import io.distributedlock.LockKeyException;
import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.FencingToken;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.memory.MemoryLockStore;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.BeanCreationException;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class FencingTokenTests {

	private final GuardedContext context = new GuardedContext();

	@AfterEach
	void close() {
		this.context.close();
	}

	private Guarded guarded() {
		return this.context.start(Guarded.class).bean(Guarded.class);
	}

	@Test
	void tokenWhenCallerPassesAnotherIsTheLeases() {
		assertThat(guarded().value("k", 42)).isEqualTo("same");
	}

	@Test
	void tokenWhenResultIsStageIsTheLeases() {
		assertThat(guarded().stage(42).join()).isEqualTo("same");
	}

	@Test
	void tokenWhenTakenAgainIsLarger() {
		Guarded guarded = guarded();
		assertThat(guarded.token(0)).isLessThan(guarded.token(0));
	}

	@Test
	void tokenWhenDeclaredByInterfaceIsTheLeases() {
		this.context.jdkProxies().start(Bookkeeper.class);
		assertThat(this.context.bean(Ledger.class).post("k", 42)).isEqualTo("same");
	}

	@Test
	void tokenWhenConditionIsFalseIsNull() {
		Guarded guarded = guarded();
		assertThat(guarded.conditional(false, 42L)).isNull();
		assertThat(guarded.conditional(true, 42L)).isNotNull().isNotEqualTo(42);
	}

	@Test
	void tokenWhenFallbackIsCalledIsNotWhatTheCallerPassed() {
		Guarded guarded = guarded();
		try (Lease busy = this.context.holdElsewhere("", "k")) {
			assertThat(guarded.busy(42, 42L)).isEqualTo("0 null");
		}
	}

	@Test
	void tokenWhenKeyIsNamedIsThatKeys() {
		assertThat(guarded().several("b", "a", 0, 0)).isEqualTo("same");
	}

	@Test
	void tokenWhenNamedKeyIsNotLockedIsRefusedAndNothingStaysLocked() {
		Guarded guarded = guarded();
		assertThatExceptionOfType(LockKeyException.class).isThrownBy(() -> guarded.foreign("a", "b", 0))
			.withMessageContaining("not one of the locked keys [a]")
			.withMessageContaining("the method was not run");
		assertThat(this.context.isLocked("a")).isFalse();
	}

	@Test
	void tokenWhenKeysHaveNoneInCommonIsRefusedWithRemedy() {
		this.context.registry(new TokensOfTheirOwn());
		assertThatExceptionOfType(LockException.class).isThrownBy(() -> guarded().common("a", "b", 0))
			.withMessageContaining("no fencing token in common")
			.withMessageContaining("@FencingToken(\"#id\")");
	}

	@Test
	void parameterWhenOfWrongTypeStopsTheStart() {
		assertRefused(WrongType.class, "its parameter 2 ('token') for the fencing token is of type int");
	}

	@Test
	void parameterWhenProceedStopsTheStart() {
		assertRefused(Proceeding.class, "without a lock, but whenUnavailable is PROCEED");
	}

	@Test
	void parameterWhenProceedIsConfiguredStopsTheStart() {
		this.context.global(LockOptions.NONE.withWhenUnavailable(WhenUnavailable.PROCEED));
		assertRefused(Guarded.class, "without a lock, but whenUnavailable is PROCEED", "here or in the configuration");
	}

	/** The annotation was blamed for an option that only a profile sets. */
	@Test
	void parameterWhenTheProfileProceedsStopsTheStart() {
		this.context.profile("n", LockOptions.NONE.withWhenUnavailable(WhenUnavailable.PROCEED));
		assertRefused(Named.class, "without a lock, but whenUnavailable is PROCEED", "here or in the configuration");
	}

	@Test
	void parameterWhenTheProfileMakesASemaphoreStopsTheStart() {
		this.context.profile("n", LockOptions.NONE.withMode(LockMode.SEMAPHORE).withPermits(2));
		assertRefused(Named.class, "its mode is SEMAPHORE, whose holders run side by side",
				"Remove the parameter, or use a mode with one holder here or in the configuration");
	}

	@Test
	void parameterWhenConditionAndPrimitiveStopsTheStart() {
		assertRefused(Conditional.class, "Make the parameter a Long");
	}

	@Test
	void parameterWhenKeyExpressionIsWrongStopsTheStart() {
		assertRefused(WrongKey.class, "there is no parameter #to");
	}

	@Test
	void parameterWhenUsedAsKeyStopsTheStart() {
		assertRefused(TokenAsKey.class, "for the fencing token is not known before the lock is taken");
	}

	@Test
	void parameterWhenUsedAsKeyOfATokenStopsTheStart() {
		assertRefused(TokenAsKeyOfAToken.class, "for the fencing token is not known before the lock is taken",
				"its lock expression \"#first\" uses it");
	}

	@Test
	void parameterWhenMethodIsNotGuardedStopsTheStart() {
		assertRefused(Unguarded.class, "it has no lock whose token");
	}

	private void assertRefused(Class<?> bean, String... problem) {
		assertThatExceptionOfType(BeanCreationException.class).isThrownBy(() -> this.context.start(bean))
			.havingCause()
			.isInstanceOf(InvalidLockDeclarationException.class)
			.withMessageContainingAll(problem);
	}

	private static String compare(long token) {
		return (token == Lease.current().orElseThrow().fencingToken()) ? "same" : "other";
	}

	static class Guarded {

		@DistributedLock("#key")
		public String value(String key, @FencingToken long token) {
			return compare(token);
		}

		@DistributedLock("'k'")
		public long token(@FencingToken long token) {
			return token;
		}

		@DistributedLock("'k'")
		public CompletableFuture<String> stage(@FencingToken long token) {
			return CompletableFuture.completedFuture(compare(token));
		}

		@DistributedLock(key = "'k'", condition = "#locked")
		public @Nullable Long conditional(boolean locked, @FencingToken @Nullable Long token) {
			return token;
		}

		@DistributedLock(key = "'k'", waitFor = "0", fallback = "instead")
		public String busy(@FencingToken long token, @FencingToken @Nullable Long nullable) {
			return "body";
		}

		private String instead(long token, @Nullable Long nullable) {
			return token + " " + nullable;
		}

		@DistributedLock({ "#from", "#to" })
		public String several(String from, String to, @FencingToken("#from") long ofFrom,
				@FencingToken(key = "#to") long ofTo) {
			Lease lease = Lease.current().orElseThrow();
			return (ofFrom == lease.fencingToken(from) && ofTo == lease.fencingToken(to)) ? "same" : "other";
		}

		@DistributedLock({ "#from", "#to" })
		public void common(String from, String to, @FencingToken long token) {
			throw new AssertionError("never called");
		}

		@DistributedLock("#key")
		public void foreign(String key, String other, @FencingToken("#other") long token) {
			throw new AssertionError("never called");
		}

	}

	interface Ledger {

		@DistributedLock("#key")
		String post(String key, @FencingToken long token);

	}

	static class Bookkeeper implements Ledger {

		@Override
		public String post(String renamed, long token) {
			return compare(token);
		}

	}

	static class WrongType {

		@DistributedLock
		public void guarded(String item, @FencingToken int token) {
		}

	}

	static class Named {

		@DistributedLock(name = "n")
		public void guarded(@FencingToken long token) {
		}

	}

	static class Proceeding {

		@DistributedLock(whenUnavailable = WhenUnavailable.PROCEED)
		public void guarded(@FencingToken Long token) {
		}

	}

	static class Conditional {

		@DistributedLock(condition = "#p1")
		public void guarded(@FencingToken long token, boolean locked) {
		}

	}

	static class WrongKey {

		@DistributedLock("#from")
		public void guarded(String from, @FencingToken("#to") long token) {
		}

	}

	static class TokenAsKey {

		@DistributedLock("#token")
		public void guarded(@FencingToken long token) {
		}

	}

	static class TokenAsKeyOfAToken {

		@DistributedLock({ "'a'", "'b'" })
		public void guarded(@FencingToken("'a'") long first, @FencingToken("#first") long second) {
		}

	}

	static class Unguarded {

		public void guarded(@FencingToken long token) {
		}

	}

	/** Its keys cannot be taken in one step. */
	private static final class TokensOfTheirOwn implements LockRegistry {

		private final DefaultLockRegistry delegate = new DefaultLockRegistry(new MemoryLockStore());

		@Override
		public LeaseLock getLock(String name, String key) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Optional<Lease> tryAcquire(LockRequest request) {
			throw new UnsupportedOperationException();
		}

		@Override
		public Lease acquire(LockRequest request) {
			return new DelegatingLease(this.delegate.acquire(request)) {
				@Override
				public long fencingToken() {
					throw new IllegalStateException("a token each");
				}
			};
		}

		@Override
		public CompletionStage<Lease> acquireAsync(LockRequest request) {
			throw new UnsupportedOperationException();
		}

	}

}

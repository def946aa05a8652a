package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockStoreException;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.UnsuitableServerException;
import io.distributedlock.redis.driver.RedisErrors;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Stops the start of an application whose Redis user may not do what locks need. Waits
 * for the first connection and for the check, but no longer than a few seconds in all,
 * and goes on where Redis cannot be asked: then the first acquisition checks.
 */
final class LockPermissionCheck implements SmartInitializingSingleton {

	private static final LockLog logger = LockLog.of(LockPermissionCheck.class);

	static final String LATER = ". Whether its user may do what distributed locks need is checked before ";

	private static final String UNTIL_THEN = ". Until it does, no lock is acquired";

	static final String PERMITTED = " answers now, and its user may do what distributed locks need: ";

	private static final String NO_ANSWER = "no answer";

	private static final Duration LONGEST = Duration.ofSeconds(5);

	private final ObjectProvider<RedisLockStore> stores;

	LockPermissionCheck(ObjectProvider<RedisLockStore> stores) {
		this.stores = stores;
	}

	@Override
	public void afterSingletonsInstantiated() {
		Map<RedisLockStore, CompletableFuture<Void>> checks = new LinkedHashMap<>();
		this.stores.forEach((store) -> checks.put(store, store.checkPermissions()));
		Budget budget = new Budget();
		checks.forEach((store, check) -> report(store, await(check, budget)));
	}

	private void report(RedisLockStore store, @Nullable Unchecked unchecked) {
		if (unchecked == null) {
			return;
		}
		logger.warn(unchecked.describe(store.place()) + (unchecked.isAnswered() ? "" : UNTIL_THEN) + LATER
				+ "the first acquisition");
		store.permitted().thenRun(() -> logger.info(store.place() + PERMITTED + "locks are acquired"));
	}

	/**
	 * Stop the start if the check finds that something is missing.
	 * @return why there is no result, if there is none
	 */
	static @Nullable Unchecked await(CompletableFuture<Void> check, Budget budget) {
		try {
			check.get(budget.leftNanos(), TimeUnit.NANOSECONDS);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof LockStoreException failure
					&& failure.getKind() == LockStoreException.Kind.MISCONFIGURED
					&& (!(failure instanceof UnsuitableServerException unsuitable) || unsuitable.isDefinite())) {
				throw failure;
			}
			return new Unchecked((ex.getCause() != null) ? ex.getCause() : ex);
		}
		catch (TimeoutException ex) {
			return new Unchecked(new TimeoutException(NO_ANSWER + " within " + InvalidSettingException.text(LONGEST)));
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return null;
	}

	/** How long the start waits for all checks together. */
	static final class Budget {

		private final long start = System.nanoTime();

		long leftNanos() {
			return Math.max(0, LONGEST.toNanos() - (System.nanoTime() - this.start));
		}

	}

	/**
	 * Why it is not known yet whether a server lets locks work.
	 *
	 * @param reason what was thrown
	 */
	record Unchecked(Throwable reason) {

		/**
		 * The beginning of an error of the server, other than those of ciphers and
		 * certificates.
		 */
		private static final Pattern ERROR = Pattern.compile("(?!PKIX|SSL|TLS)[A-Z]{3,} .*", Pattern.DOTALL);

		/** Whether the server said something. */
		boolean isAnswered() {
			return causes().map(Throwable::getMessage)
				.filter(Objects::nonNull)
				.anyMatch((message) -> ERROR.matcher(message).matches());
		}

		private Stream<Throwable> causes() {
			return Stream.iterate(this.reason, Objects::nonNull, Throwable::getCause);
		}

		/**
		 * Describe it.
		 * @param server which server
		 * @return a sentence without its full stop
		 */
		String describe(String server) {
			if (this.reason instanceof UnsuitableServerException unsuitable) {
				return String.valueOf(unsuitable.getMessage());
			}
			String said = RedisErrors.deepestMessage(this.reason);
			String what = isAnswered() ? " answered with an error (" + said + ")"
					: said.startsWith(NO_ANSWER) ? ": " + said : " does not answer (" + said + ")";
			return server + what;
		}

	}

}

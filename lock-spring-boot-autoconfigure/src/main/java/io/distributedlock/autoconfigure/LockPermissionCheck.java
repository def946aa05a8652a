package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.InvalidSettingException;
import io.distributedlock.LockStoreException;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redis.UnsuitableServerException;
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Stops the start of an application whose Redis user lacks permissions that locks need.
 * Waits at most 5 s for the first connection and the check. It waits up to 25 s more only
 * if {@link RedisLockStore#isResponding() Redis responds}, so that this process is the
 * slow one. Without an answer the start goes on, and the first acquisition checks.
 */
final class LockPermissionCheck implements SmartInitializingSingleton {

	private static final LockLog logger = LockLog.of(LockPermissionCheck.class);

	static final String LATER = ". Whether it lets locks work is checked before ";

	static final String PERMITTED = " answers now, and its user may do what distributed locks need: ";

	private static final Duration LONGEST = Duration.ofSeconds(5);

	/** Further wait for a process with little processor time to load the driver. */
	private static final Duration LONGEST_WHEN_ANSWERED = Duration.ofSeconds(25);

	private final ObjectProvider<RedisLockStore> stores;

	LockPermissionCheck(ObjectProvider<RedisLockStore> stores) {
		this.stores = stores;
	}

	@Override
	public void afterSingletonsInstantiated() {
		List<RedisLockStore> stores = this.stores.stream().toList();
		List<CompletableFuture<Void>> checks = run(stores);
		for (int i = 0; i < checks.size(); i++) {
			report(stores.get(i), unchecked(stores.get(i).place(), checks.get(i)));
		}
	}

	private void report(RedisLockStore store, @Nullable String unchecked) {
		if (unchecked != null) {
			logger.warn(unchecked + LATER + "the first acquisition. Until it does, no lock is acquired");
			store.permitted().thenRun(() -> logger.info(store.place() + PERMITTED + "locks are acquired"));
		}
	}

	/** Check all servers at once, so that several silent ones cost the wait only once. */
	static List<CompletableFuture<Void>> run(List<? extends RedisLockStore> stores) {
		List<CompletableFuture<Void>> checks = stores.stream().map(RedisLockStore::checkPermissions).toList();
		await(checks.stream(), LONGEST);
		await(IntStream.range(0, checks.size())
			.filter((i) -> !checks.get(i).isDone() && stores.get(i).isResponding())
			.mapToObj(checks::get), LONGEST_WHEN_ANSWERED);
		return checks;
	}

	private static void await(Stream<CompletableFuture<Void>> checks, Duration longest) {
		try {
			CompletableFuture.allOf(checks.toArray(CompletableFuture[]::new))
				.get(longest.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException | TimeoutException ignored) {
			// Each check has its own result.
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Throw the failure of a check that has found the server unusable, to stop the start.
	 * @return the reason why the check is open, a sentence without its full stop, or
	 * {@code null} if it has passed
	 */
	static @Nullable String unchecked(String server, CompletableFuture<Void> check) {
		Throwable failure = check.handle((nothing, thrown) -> thrown)
			.getNow(new TimeoutException(server + ": no answer within " + InvalidSettingException.text(LONGEST)));
		if (failure instanceof LockStoreException said && said.getKind() == LockStoreException.Kind.MISCONFIGURED
				&& !(said instanceof UnsuitableServerException unsuitable && !unsuitable.isDefinite())) {
			throw said;
		}
		return (failure != null) ? failure.getMessage() : null;
	}

}

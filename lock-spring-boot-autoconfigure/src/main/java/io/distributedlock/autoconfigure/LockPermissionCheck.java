package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.RedisLockStore;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Stops the start of an application whose Redis user may not do what locks need. Waits as
 * long as for a command, and goes on where Redis cannot be asked: then the first
 * acquisition checks.
 */
final class LockPermissionCheck implements SmartInitializingSingleton {

	private static final Log logger = LogFactory.getLog(LockPermissionCheck.class);

	private static final Duration LONGEST = Duration.ofSeconds(5);

	private final ObjectProvider<RedisLockStore> stores;

	LockPermissionCheck(ObjectProvider<RedisLockStore> stores) {
		this.stores = stores;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.stores.forEach(LockPermissionCheck::check);
	}

	private static void check(RedisLockStore store) {
		await("Redis", store.checkPermissions(), store.commandTimeout());
	}

	/** Stop the start if the check finds that something is missing. */
	static void await(String server, CompletableFuture<Void> check, Duration timeout) {
		Duration patience = (timeout.compareTo(LONGEST) < 0) ? timeout : LONGEST;
		try {
			check.get(patience.toMillis(), TimeUnit.MILLISECONDS);
		}
		catch (ExecutionException ex) {
			if (ex.getCause() instanceof LockStoreException failure
					&& failure.getKind() == LockStoreException.Kind.MISCONFIGURED) {
				throw failure;
			}
			later(server, ex.getCause());
		}
		catch (TimeoutException ex) {
			later(server, ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static void later(String server, @Nullable Throwable reason) {
		logger.info(server + " does not answer. Whether its user may do what distributed locks need is checked "
				+ "before the first acquisition (" + reason + ")");
	}

}

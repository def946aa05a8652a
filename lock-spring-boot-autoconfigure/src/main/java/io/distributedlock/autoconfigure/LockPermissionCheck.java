package io.distributedlock.autoconfigure;

import java.time.Duration;
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
import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Stops the start of an application whose Redis user may not do what locks need. Waits as
 * long as for a command, and goes on where Redis cannot be asked: then the first
 * acquisition checks.
 */
final class LockPermissionCheck implements SmartInitializingSingleton {

	private static final LockLog logger = LockLog.of(LockPermissionCheck.class);

	static final String LATER = ". Whether its user may do what distributed locks need is checked before ";

	private static final String UNTIL_THEN = ". Until it does, no lock is acquired";

	private static final Duration LONGEST = Duration.ofSeconds(5);

	private final ObjectProvider<RedisLockStore> stores;

	private final boolean tls;

	LockPermissionCheck(ObjectProvider<RedisLockStore> stores, boolean tls) {
		this.stores = stores;
		this.tls = tls;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.stores.forEach(this::check);
	}

	private void check(RedisLockStore store) {
		Duration patience = patience(store.commandTimeout());
		Unchecked unchecked = await(store.checkPermissions(), patience);
		if (unchecked == null) {
			return;
		}
		logger.warn(unchecked.describe("Redis", patience, this.tls) + (unchecked.isAnswered() ? "" : UNTIL_THEN) + LATER
				+ "the first acquisition");
	}

	static Duration patience(Duration commandTimeout) {
		return (commandTimeout.compareTo(LONGEST) < 0) ? commandTimeout : LONGEST;
	}

	/**
	 * Stop the start if the check finds that something is missing.
	 * @return why there is no result, if there is none
	 */
	static @Nullable Unchecked await(CompletableFuture<Void> check, Duration patience) {
		try {
			check.get(Math.max(0, patience.toMillis()), TimeUnit.MILLISECONDS);
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
			return new Unchecked(ex);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		return null;
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

		/** Whether the call, or the connection that was opened for it, took too long. */
		private boolean isTimeout() {
			return causes().anyMatch(TimeoutException.class::isInstance);
		}

		private Stream<Throwable> causes() {
			return Stream.iterate(this.reason, Objects::nonNull, Throwable::getCause);
		}

		/**
		 * Describe it.
		 * @param server which server
		 * @param patience how long it was waited for
		 * @param tls whether it is asked by TLS
		 * @return a sentence without its full stop
		 */
		String describe(String server, Duration patience, boolean tls) {
			if (this.reason instanceof UnsuitableServerException unsuitable) {
				return String.valueOf(unsuitable.getMessage());
			}
			if (isTimeout()) {
				// Without TLS, a server takes its first bytes for a command and waits on.
				return "%s: no answer within %s".formatted(server, InvalidSettingException.text(patience))
						+ (tls ? " (TLS where the server has none?)" : "");
			}
			String said = (this.reason instanceof LockStoreException failure) ? String.valueOf(failure.getMessage())
					: this.reason.toString();
			return server + (isAnswered() ? " answered with an error (" : " does not answer (") + said + ")";
		}

	}

}

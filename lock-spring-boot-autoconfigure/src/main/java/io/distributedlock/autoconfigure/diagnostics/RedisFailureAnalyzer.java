package io.distributedlock.autoconfigure.diagnostics;

import java.util.Locale;
import java.util.Set;

import io.distributedlock.LockStoreException;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.redis.MissingPermissionsException;
import io.distributedlock.redis.UnsuitableServerException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Explains why an application whose locks are in Redis does not start. Comes before the
 * analyzer for any store, and is left out if {@code lock-redis} is missing.
 * {@link LockFailureAnalyzer} explains a node that a property names, with that property.
 */
final class RedisFailureAnalyzer extends AbstractFailureAnalyzer<LockStoreException> implements Ordered {

	private static final Set<String> STORES = Set.of("redis", "redlock");

	private static final String PERMISSIONS = """
			Allow it:

			    %s

			That is all that the check has found missing. All that locks need, at once:

			    %s

			A Redis that reads its users from a file needs it there, a managed one where it manages its users.""";

	private final Environment environment;

	RedisFailureAnalyzer(Environment environment) {
		this.environment = environment;
	}

	@Override
	public int getOrder() {
		return -1;
	}

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, LockStoreException failure) {
		String store = this.environment.getProperty("distributed-lock.store", "redis").toLowerCase(Locale.ROOT);
		if (!STORES.contains(store) || findCause(rootFailure, InvalidLockPropertyException.class) != null) {
			return null;
		}
		return new FailureAnalysis(problem(failure) + "\n\n    " + failure.getMessage(), remedy(failure), failure);
	}

	private static String problem(LockStoreException failure) {
		return (failure.getKind() == Kind.UNAVAILABLE) ? "Redis is unavailable to the distributed locks:"
				: "Distributed locks cannot work with this Redis:";
	}

	private static String remedy(LockStoreException failure) {
		if (failure instanceof UnsuitableServerException unsuitable) {
			return StringUtils.capitalize(unsuitable.getRemedy()) + ".";
		}
		return (failure instanceof MissingPermissionsException missing)
				? PERMISSIONS.formatted(missing.getRemedy(), missing.getWholeRemedy())
				: "Check that Redis runs, and spring.data.redis.*: the address, the user, the password, and that it is "
						+ "the right server. For a first look without Redis, set distributed-lock.store=memory.";
	}

}

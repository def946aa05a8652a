package io.distributedlock.autoconfigure;

import io.distributedlock.LockStoreException;
import io.distributedlock.redis.MissingPermissionsException;
import io.distributedlock.redis.UnsuitableServerException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains what the check of permissions has found.
 */
final class LockStoreFailureAnalyzer extends AbstractFailureAnalyzer<LockStoreException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, LockStoreException cause) {
		if (cause instanceof UnsuitableServerException unsuitable) {
			String remedy = unsuitable.getRemedy();
			return new FailureAnalysis("Distributed locks cannot work with this Redis:\n\n    " + cause.getMessage(),
					Character.toUpperCase(remedy.charAt(0)) + remedy.substring(1) + ".", cause);
		}
		String action = (cause instanceof MissingPermissionsException missing)
				? """
						Allow it:

						    %s

						That is all that the check has found missing. All that locks need, at once:

						    %s

						A Redis that reads its users from a file needs it there.""".formatted(missing.getRemedy(),
						missing.getWholeRemedy())
				: "Check spring.data.redis.*: the address, the user, the password, and that it is the right server.";
		return new FailureAnalysis("Distributed locks cannot work with this Redis:\n\n    " + cause.getMessage(),
				action, cause);
	}

}

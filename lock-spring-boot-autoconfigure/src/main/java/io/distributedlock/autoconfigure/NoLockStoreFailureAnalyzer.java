package io.distributedlock.autoconfigure;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Explains a {@link NoLockStoreException}: what cures its cause, and what always helps.
 */
final class NoLockStoreFailureAnalyzer extends AbstractFailureAnalyzer<NoLockStoreException> {

	private static final String WAYS_OUT = """
			Do one of these:

			    - %s
			    - For tests, or where there is only one process, set distributed-lock.store=memory.
			    - Declare a LockStore bean named distributedLockStore.
			    - Set distributed-lock.enabled=false; annotated methods then run WITHOUT a lock.""";

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, NoLockStoreException cause) {
		return new FailureAnalysis("There is no store for distributed locks: " + cause.getMessage(),
				WAYS_OUT.formatted(cause.getRemedy()), cause);
	}

}

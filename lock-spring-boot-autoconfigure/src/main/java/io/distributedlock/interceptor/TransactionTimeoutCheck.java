package io.distributedlock.interceptor;

import java.time.Duration;
import java.util.Objects;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** Warns of a lease that may end before the transaction inside it does. */
final class TransactionTimeoutCheck {

	private static final Log logger = LogFactory.getLog(TransactionTimeoutCheck.class);

	/** By name: it does not have to be on the class path. */
	private static final String TRANSACTIONAL = "org.springframework.transaction.annotation.Transactional";

	private TransactionTimeoutCheck() {
	}

	static void check(MethodLockSpec spec) {
		Duration ttl = Objects.requireNonNull(spec.options().ttl());
		Duration timeout = timeout(spec);
		if (timeout != null && !Boolean.TRUE.equals(spec.options().renew()) && ttl.compareTo(timeout) < 0) {
			logger.warn(("The lease of %s ends after %s and is not renewed, but its transaction may take %s."
					+ " Renew it, or use a longer ttl or a shorter time-out")
				.formatted(spec, ttl, timeout));
		}
	}

	private static @Nullable Duration timeout(MethodLockSpec spec) {
		MergedAnnotation<?> transactional = MergedAnnotations.from(spec.method(), SearchStrategy.TYPE_HIERARCHY)
			.get(TRANSACTIONAL);
		if (!transactional.isPresent()) {
			transactional = MergedAnnotations.from(spec.targetClass(), SearchStrategy.TYPE_HIERARCHY)
				.get(TRANSACTIONAL);
		}
		int seconds = transactional.isPresent() ? transactional.getInt("timeout") : -1;
		return (seconds > 0) ? Duration.ofSeconds(seconds) : null;
	}

}

package io.distributedlock.interceptor;

import java.time.Duration;
import java.util.Objects;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.interceptor.expression.InvalidAttributeException;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a mode that does not go with the rest of a declaration, and says whether the
 * annotation or a profile is to be corrected.
 */
final class LockModeCheck {

	private final String name;

	private final LockOptions declared;

	/**
	 * Create a check.
	 * @param name the name of the lock
	 * @param declared what the method declares
	 */
	LockModeCheck(String name, LockOptions declared) {
		this.name = name;
		this.declared = declared;
	}

	/** The attribute, {@code null} where it was left out. */
	static @Nullable Integer permits(int attribute) {
		if (attribute < 0 || attribute > LockOptions.MAX_PERMITS) {
			throw new InvalidAttributeException("permits is %d".formatted(attribute),
					"Use a number from 1 to %d, or leave it out".formatted(LockOptions.MAX_PERMITS));
		}
		return (attribute != 0) ? attribute : null;
	}

	/**
	 * Check what counts for the method.
	 * @param own what the method declares and its profile says
	 */
	void check(LockOptions own) {
		LockMode mode = (own.mode() != null) ? own.mode() : LockMode.EXCLUSIVE;
		String said = mode + origin("mode", own.mode(), this.declared.mode());
		if (mode == LockMode.SEMAPHORE && own.permits() == null) {
			throw new InvalidAttributeException("its mode is %s, but it has no permits".formatted(said),
					"Say with permits how many calls may run at once");
		}
		if (mode != LockMode.SEMAPHORE && own.permits() != null) {
			throw new InvalidAttributeException(
					"it has permits %d%s, but its mode is %s".formatted(own.permits(),
							origin("permits", own.permits(), this.declared.permits()), said),
					"Remove the permits, or use mode SEMAPHORE, with 1 permit for one call at a time");
		}
		if (!mode.isExclusive() && isKept(own.keepFor())) {
			throw new InvalidAttributeException(
					"it has keepFor %s%s, but its mode is %s".formatted(own.keepFor(),
							origin("keep-for", own.keepFor(), this.declared.keepFor()), said),
					"Remove keepFor, or use a mode with one holder: EXCLUSIVE, FAIR or WRITE");
		}
	}

	private static boolean isKept(@Nullable Duration keepFor) {
		return keepFor != null && !keepFor.isZero();
	}

	/** Names the property that has the last word over the annotation. */
	private String origin(String property, @Nullable Object own, @Nullable Object declared) {
		return Objects.equals(own, declared) ? "" : " (distributed-lock.locks.%s.%s)".formatted(this.name, property);
	}

}

package io.distributedlock.interceptor;

import java.time.Duration;
import java.util.function.BinaryOperator;
import java.util.function.Supplier;
import java.util.regex.Pattern;

import io.distributedlock.LockMode;
import io.distributedlock.LockOptions;
import io.distributedlock.LockProfiles;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.Renewal;
import io.distributedlock.interceptor.internal.InvalidAttributeException;
import org.jspecify.annotations.Nullable;

import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.util.Assert;
import org.springframework.util.StringUtils;

/** Merges the annotation of a lock with the configuration. */
final class LockOptionsResolver {

	private static final Pattern DIGIT = Pattern.compile("[0-9]");

	private final Supplier<LockProfiles> profiles;

	private final BinaryOperator<String> placeholders;

	LockOptionsResolver(Supplier<LockProfiles> profiles, BinaryOperator<String> placeholders) {
		this.profiles = profiles;
		this.placeholders = placeholders;
	}

	/**
	 * Resolve the options of a lock. A result that cannot be empty turns a global SKIP
	 * into THROW; an explicit SKIP is a mistake there.
	 */
	Resolved resolve(String name, DistributedLock lock, boolean canBeEmpty) {
		LockProfiles profiles = this.profiles.get();
		LockOptions declared = declared(lock);
		LockOptions resolved = profiles.resolve(name, declared);
		WhenBusy implied = impliedWhenBusy(lock, resolved, canBeEmpty);
		if (declared.whenBusy() == null && implied != null) {
			resolved = profiles.resolve(name, declared.withWhenBusy(implied));
		}
		LockOptions own = profiles.ownOptions(name, declared);
		boolean busyOpen = own.whenBusy() == null && implied == null;
		boolean unavailableOpen = own.whenUnavailable() == null;
		if (!canBeEmpty && busyOpen && resolved.whenBusy() == WhenBusy.SKIP) {
			resolved = resolved.withWhenBusy(WhenBusy.THROW);
		}
		if (!canBeEmpty && unavailableOpen && resolved.whenUnavailable() == WhenUnavailable.SKIP) {
			resolved = resolved.withWhenUnavailable(WhenUnavailable.THROW);
		}
		return new Resolved(name, resolved, busyOpen, unavailableOpen);
	}

	private static @Nullable WhenBusy impliedWhenBusy(DistributedLock lock, LockOptions resolved, boolean canBeEmpty) {
		if (StringUtils.hasText(lock.fallback())) {
			return WhenBusy.FALLBACK;
		}
		boolean kept = resolved.keepFor() != null && resolved.keepFor().compareTo(Duration.ZERO) > 0;
		return (kept && canBeEmpty) ? WhenBusy.SKIP : null;
	}

	/** Refuses contradictions within the annotation, which no profile can resolve. */
	private LockOptions declared(DistributedLock lock) {
		if (StringUtils.hasText(lock.fallback())
				&& (lock.whenBusy() == WhenBusy.SKIP || lock.whenBusy() == WhenBusy.THROW)) {
			throw new InvalidAttributeException(
					"it has the fallback '%s', but whenBusy is %s, so it would never be called"
						.formatted(lock.fallback(), lock.whenBusy()),
					"Remove the attribute fallback, or whenBusy");
		}
		if (StringUtils.hasText(lock.maxHold()) && lock.renew() == Renewal.OFF) {
			throw new InvalidAttributeException(
					"maxHold \"%s\" has no effect, because renewal is off".formatted(lock.maxHold()),
					"Remove the attribute maxHold, since the ttl is a hard limit without renewal, or remove renew");
		}
		return new LockOptions(duration("ttl", lock.ttl()), duration("waitFor", lock.waitFor()),
				(lock.renew() != Renewal.DEFAULT) ? lock.renew() == Renewal.ON : null,
				duration("maxHold", lock.maxHold()), duration("keepFor", lock.keepFor()),
				duration("lockDelay", lock.lockDelay()), (lock.mode() != LockMode.EXCLUSIVE) ? lock.mode() : null,
				(lock.permits() != 0) ? lock.permits() : null, (lock.take() != 0) ? lock.take() : null, lock.whenBusy(),
				lock.whenLost(), lock.whenUnavailable());
	}

	private @Nullable Duration duration(String attribute, String text) {
		String value = this.placeholders.apply(attribute, text).trim();
		if (value.isEmpty()) {
			return null;
		}
		try {
			// A sign alone would be read as zero.
			Assert.isTrue(DIGIT.matcher(value).find(), "There is no number");
			return DurationFormatterUtils.detectAndParse(value);
		}
		catch (IllegalArgumentException ex) {
			String written = value.equals(text) ? text : text + "\", which is \"" + value;
			throw new IllegalArgumentException(
					"%s \"%s\" is not a duration such as 10s, 500ms, PT10S or 0".formatted(attribute, written), ex);
		}
	}

	/**
	 * The options of a lock.
	 *
	 * @param name its name, maybe empty
	 * @param options options in which only {@code maxHold} and {@code permits} may be
	 * {@code null}
	 * @param busyOpen {@code true} if handlers decide about a busy lock: neither the
	 * method nor the profile does
	 * @param unavailableOpen {@code true} if handlers decide about a store that cannot be
	 * reached
	 */
	record Resolved(String name, LockOptions options, boolean busyOpen, boolean unavailableOpen) {
	}

}

package io.distributedlock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.IntFunction;

import io.distributedlock.store.AcquireOutcome;

/**
 * Reads what the scripts answer.
 */
final class RedisAnswers {

	/** A script could not handle a lock without other keys. */
	private static final Long SENT_ON = -1L;

	/** The request has ended. */
	private static final long REFUSED = -2;

	/** Another request has the lock, or comes first. */
	private static final long BUSY = 0;

	private RedisAnswers() {
	}

	/** Whether a script could not handle a lock without other keys. */
	static boolean isSentOn(Object answer) {
		return (answer instanceof List<?> values) ? values.contains(SENT_ON) : answer.equals(SENT_ON);
	}

	static AcquireOutcome acquireOutcome(Object answer, int permits, IntFunction<String> redisKeys) {
		if (alone(answer) instanceof Number number) {
			return (number.longValue() == REFUSED) ? AcquireOutcome.Refused.INSTANCE
					: new AcquireOutcome.Granted(number.longValue());
		}
		List<?> values = (List<?>) answer;
		if (number(values.get(0)) == BUSY) {
			return new AcquireOutcome.Busy(HexFormat.of().formatHex((byte[]) values.get(2)),
					Duration.ofMillis(number(values.get(1))), (int) number(values.get(3)));
		}
		throw RedisFailures.otherKind(redisKeys.apply((int) number(values.get(2))), permits, number(values.get(1)));
	}

	/** Whether it is what an acquisition answers that has the lock: its token. */
	static boolean isGrant(Object answer) {
		return alone(answer) instanceof Number token && token.longValue() > 0;
	}

	static List<Boolean> flags(Object answer, int count) {
		List<?> values = (List<?>) answer;
		if (values.size() != count) {
			throw new IllegalStateException(values.size() + " answers to " + count + " keys");
		}
		List<Boolean> flags = new ArrayList<>(values.size());
		for (Object value : values) {
			flags.add(flag(value));
		}
		return flags;
	}

	static Boolean flag(Object answer) {
		return number(alone(answer)) == 1;
	}

	/** Lettuce makes a list of a number that is the whole answer. */
	private static Object alone(Object answer) {
		return (answer instanceof List<?> values && values.size() == 1) ? values.get(0) : answer;
	}

	@SuppressWarnings("NullAway")
	static Void nothing(Object answer) {
		return null;
	}

	private static long number(Object value) {
		return ((Number) value).longValue();
	}

}

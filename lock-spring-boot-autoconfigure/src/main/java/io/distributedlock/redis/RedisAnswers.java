package io.distributedlock.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

import io.distributedlock.store.AcquireOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Reads what the scripts answer.
 */
final class RedisAnswers {

	private RedisAnswers() {
	}

	static AcquireOutcome acquireOutcome(Object answer, int permits, IntFunction<String> redisKeys) {
		List<?> values = (List<?>) answer;
		return switch ((int) number(values.get(0))) {
			case 0 -> new AcquireOutcome.Busy(text(values.get(2)), Duration.ofMillis(number(values.get(1))),
					(int) number(values.get(3)));
			case 1 -> new AcquireOutcome.Granted(number(values.get(1)));
			case 2 -> AcquireOutcome.Refused.INSTANCE;
			default -> throw RedisFailures.foreignKind(redisKeys.apply((int) number(values.get(2))), permits,
					text(values.get(1)), number(values.get(3)));
		};
	}

	/** Whether it is what an acquisition answers that has the lock. */
	static boolean isGrant(Object answer) {
		return answer instanceof List<?> values && !values.isEmpty() && values.get(0) instanceof Number kind
				&& kind.longValue() == 1;
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
		return number(answer) == 1;
	}

	@SuppressWarnings("NullAway")
	static Void nothing(Object answer) {
		return null;
	}

	private static long number(Object value) {
		return ((Number) value).longValue();
	}

	private static String text(@Nullable Object value) {
		return (value instanceof byte[] bytes) ? new String(bytes, StandardCharsets.UTF_8) : String.valueOf(value);
	}

}

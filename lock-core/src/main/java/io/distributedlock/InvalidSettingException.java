package io.distributedlock;

import java.time.Duration;

import org.jspecify.annotations.Nullable;

/**
 * A setting of a lock, an engine or a store has a value that cannot work. Thrown where
 * the setting is made; the value is not checked again later.
 *
 * @since 0.1.0
 */
public class InvalidSettingException extends IllegalArgumentException {

	private static final String[] UNITS = { "d", "h", "m", "s", "ms" };

	private static final long[] MILLIS = { 86_400_000, 3_600_000, 60_000, 1000, 1 };

	/** The longest duration to convert; much longer ones overflow milliseconds. */
	private static final Duration LONGEST = Duration.ofDays(1_000_000);

	private final String setting;

	private final Object value;

	/**
	 * Create the exception.
	 * @param setting the name of the setting in code, such as {@code maxHold}
	 * @param value its value
	 * @param message the problem, and the values that work
	 */
	public InvalidSettingException(String setting, Object value, String message) {
		super(message);
		this.setting = setting;
		this.value = value;
	}

	/**
	 * Check a duration.
	 * @param setting the name of the setting in code
	 * @param value its value; {@code null} if it is not set
	 * @param least the shortest value that works
	 * @param most the longest value that works
	 */
	public static void requireRange(String setting, @Nullable Duration value, Duration least, Duration most) {
		if (value != null && (value.compareTo(least) < 0 || value.compareTo(most) > 0)) {
			throw new InvalidSettingException(setting, value,
					"%s must be between %s and %s but is %s".formatted(setting, text(least), text(most), text(value)));
		}
	}

	/**
	 * Write a value as in a configuration file.
	 * @param value the value
	 * @return a duration in the largest unit that loses nothing, such as {@code 10s}, or
	 * in ISO 8601 if it is no number of milliseconds
	 */
	public static String text(Object value) {
		if (!(value instanceof Duration duration) || duration.compareTo(LONGEST) > 0
				|| duration.compareTo(LONGEST.negated()) < 0 || duration.toNanosPart() % 1_000_000 != 0) {
			return value.toString();
		}
		long millis = duration.toMillis();
		int unit = 0;
		while (millis % MILLIS[unit] != 0) {
			unit++;
		}
		return (millis != 0) ? millis / MILLIS[unit] + UNITS[unit] : "0";
	}

	/**
	 * The name of the setting in code.
	 * @return the name, such as {@code maxHold}
	 */
	public String getSetting() {
		return this.setting;
	}

	/**
	 * The value of the setting.
	 * @return the value that cannot work
	 */
	public Object getValue() {
		return this.value;
	}

}

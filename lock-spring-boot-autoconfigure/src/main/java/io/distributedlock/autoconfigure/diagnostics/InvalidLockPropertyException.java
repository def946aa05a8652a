package io.distributedlock.autoconfigure.diagnostics;

import java.time.Duration;

import io.distributedlock.InvalidSettingException;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * A property of the locks has a value that cannot work.
 */
public final class InvalidLockPropertyException extends RuntimeException {

	private static final int LONGEST_VALUE = 200;

	private final String property;

	private final String value;

	private final String problem;

	private final String remedy;

	/**
	 * Create the exception.
	 * @param property the full name of the property
	 * @param value its value
	 * @param problem the problem, as the rest of a sentence that starts with the value
	 * @param remedy the remedy, as a sentence without its full stop
	 * @param cause the exception that refused the value, if any
	 */
	public InvalidLockPropertyException(String property, Object value, String problem, String remedy,
			@Nullable Throwable cause) {
		super("%s=%s %s. %s.".formatted(property, text(value), problem, remedy), cause);
		this.property = property;
		this.value = text(value);
		this.problem = problem;
		this.remedy = remedy;
	}

	/**
	 * Create the exception for a value that the settings themselves refuse.
	 * @param property the full name of the property
	 * @param cause the refusal
	 */
	public InvalidLockPropertyException(String property, InvalidSettingException cause) {
		this(property, cause.getValue(), "cannot work: " + problem(cause), (cause.getValue() instanceof Duration)
				? "Correct it; a duration without a unit is in milliseconds" : "Correct it", null);
	}

	/** Remove the name of the setting in the code: the reader knows only the property. */
	private static String problem(InvalidSettingException cause) {
		String message = String.valueOf(cause.getMessage());
		String setting = cause.getSetting() + " must";
		return message.startsWith(setting) ? "it must" + message.substring(setting.length()) : message;
	}

	private static String text(Object value) {
		return StringUtils.truncate(InvalidSettingException.text(value), LONGEST_VALUE);
	}

	String getProperty() {
		return this.property;
	}

	String getValue() {
		return this.value;
	}

	String getProblem() {
		return this.problem;
	}

	String getRemedy() {
		return this.remedy;
	}

}

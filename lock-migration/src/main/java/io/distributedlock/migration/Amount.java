package io.distributedlock.migration;

import org.jspecify.annotations.Nullable;
import org.openrewrite.java.tree.Expression;
import org.openrewrite.java.tree.J;

/**
 * A duration that another library has as a number, or as a text without its unit. A
 * negative number stands for a default there, which is no attribute here.
 */
final class Amount {

	private final @Nullable Expression value;

	private final String suffix;

	private Amount(@Nullable Expression value, String suffix) {
		this.value = value;
		this.suffix = suffix;
	}

	static Amount ofMillis(@Nullable Expression value) {
		return new Amount(value, "ms");
	}

	static Amount ofSeconds(@Nullable Expression value) {
		return new Amount(value, "s");
	}

	static Amount of(Expression value, String suffix) {
		return new Amount(value, suffix);
	}

	/** Return whether it is given, and not a number below zero. */
	boolean isPresent() {
		Long number = number();
		return this.value != null && (number == null || number >= 0);
	}

	boolean isZeroOrLess() {
		Long number = number();
		return number != null && number <= 0;
	}

	private @Nullable Long number() {
		Long number = Constants.number(this.value);
		String text = Constants.text(this.value);
		return (text != null && text.strip().matches("-?\\d{1,18}")) ? Long.valueOf(text.strip()) : number;
	}

	/** Set an attribute if this is {@linkplain #isPresent() present}. */
	void set(LockAnnotation lock, String attribute) {
		Expression present = this.value;
		if (present == null || !isPresent()) {
			return;
		}
		Long number = number();
		String text = Constants.text(present);
		if (number != null) {
			lock.text(attribute, text(number));
		}
		else if (text != null) {
			lock.text(attribute, text.strip() + this.suffix);
		}
		else {
			boolean isName = present instanceof J.Identifier || present instanceof J.FieldAccess;
			String code = isName ? lock.place(present) : "(" + lock.place(present) + ")";
			lock.code(attribute, code + " + \"" + this.suffix + "\"");
		}
	}

	private String text(long number) {
		return switch (this.suffix) {
			case "ms" -> Durations.ofMillis(number);
			case "s" -> Durations.ofSeconds(number);
			default -> number + this.suffix;
		};
	}

}

package io.distributedlock.interceptor.expression;

import java.util.function.Function;

import io.distributedlock.LockKeyException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.spel.support.StandardTypeConverter;

/**
 * Refuses values whose text is a trap where a key expression makes a text of them: in a
 * concatenation, or for a parameter that is a {@code String}. SpEL asks it for each such
 * value, so that a trap is found which no declared type tells.
 */
final class KeyTextConverter extends StandardTypeConverter {

	private final Function<String, LockKeyException> failure;

	KeyTextConverter(Function<String, LockKeyException> failure) {
		this.failure = failure;
	}

	@Override
	public boolean canConvert(@Nullable TypeDescriptor from, TypeDescriptor to) {
		return problemOf(from, to) != null || super.canConvert(from, to);
	}

	@Override
	public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor from, TypeDescriptor to) {
		String problem = problemOf(from, to);
		if (problem != null) {
			throw this.failure.apply(problem);
		}
		return super.convertValue(value, from, to);
	}

	/** An array in a text is joined by commas. */
	private static @Nullable String problemOf(@Nullable TypeDescriptor from, TypeDescriptor to) {
		if (from == null || from.isArray() || to.getType() != String.class) {
			return null;
		}
		return KeyTraps.problemOfValue(from.getType());
	}

}

package io.distributedlock.interceptor;

import java.util.Optional;
import java.util.function.Supplier;

import io.distributedlock.LockException;
import io.distributedlock.LockTemplate;
import io.distributedlock.LockedCallback;
import org.jspecify.annotations.Nullable;

/** Methods that are done when they return. */
final class ValueResultKind implements ResultKind {

	private final Supplier<LockTemplate> template;

	private final Class<?> type;

	ValueResultKind(Supplier<LockTemplate> template, Class<?> type) {
		this.template = template;
		this.type = type;
	}

	@Override
	public @Nullable Object invoke(GuardedCall call) throws Throwable {
		LockedCallback<@Nullable Object, Throwable> body = (this.type != Object.class) ? call
				: (lease) -> LateResults.checked(call.spec().toString(), call.doWithLock(lease));
		try {
			return this.template.get().execute(call.request(), body);
		}
		catch (LockException ex) {
			return call.instead(ex);
		}
	}

	@Override
	public @Nullable Supplier<@Nullable Object> emptyResult() {
		return emptyValue(this.type);
	}

	@Override
	public @Nullable Object resultOf(@Nullable Object value) {
		return value;
	}

	/**
	 * The value of a call that was skipped.
	 * @param type the type of the value
	 * @return nothing or an empty {@link Optional}, {@code null} if there is no such
	 * value
	 */
	static @Nullable Supplier<@Nullable Object> emptyValue(Class<?> type) {
		if (type == void.class || type == Void.class) {
			return () -> null;
		}
		return (type == Optional.class) ? Optional::empty : null;
	}

}

package io.distributedlock.interceptor;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ReactiveAdapter;
import org.springframework.core.ReactiveAdapterRegistry;
import org.springframework.util.ClassUtils;
import reactor.core.publisher.Mono;

/** The handlers of the application, asked for by the first failure. */
final class LockFailureHandlers {

	private final BeanFactory beanFactory;

	private volatile @Nullable List<LockFailureHandler> handlers;

	LockFailureHandlers(BeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	LockFailureDecision decide(LockFailure failure) {
		for (LockFailureHandler handler : handlers()) {
			LockFailureDecision decision = handler.decide(failure);
			if (decision.kind() != LockFailureDecision.Kind.DEFER) {
				return decision;
			}
		}
		return LockFailureDecision.defer();
	}

	private List<LockFailureHandler> handlers() {
		List<LockFailureHandler> known = this.handlers;
		if (known == null) {
			known = this.beanFactory.getBeanProvider(LockFailureHandler.class).orderedStream().toList();
			this.handlers = known;
		}
		return known;
	}

	/**
	 * The result that a handler wants, as the method can return it.
	 * @param failure the call
	 * @param value what the handler said
	 * @return the result
	 */
	static @Nullable Object result(LockFailure failure, @Nullable Object value) {
		Class<?> type = failure.method().getReturnType();
		if (type == void.class) {
			return null;
		}
		if (type != Object.class && !type.isInstance(value)) {
			if (type.isAssignableFrom(CompletableFuture.class)) {
				return CompletableFuture.completedFuture(value);
			}
			ReactiveAdapter adapter = ReactiveAdapterRegistry.getSharedInstance().getAdapter(type);
			if (adapter != null) {
				return Sequences.of(adapter, value);
			}
		}
		if (!ClassUtils.isAssignableValue(type, value)) {
			IllegalStateException wrong = new IllegalStateException(
					"A LockFailureHandler returned %s for %s, which returns %s".formatted(value,
							MethodNames.of(failure.targetClass(), failure.method()), type.getTypeName()));
			wrong.addSuppressed(failure.cause());
			throw wrong;
		}
		return value;
	}

	/** Apart, because Reactor may be missing. */
	private static final class Sequences {

		private static Object of(ReactiveAdapter adapter, @Nullable Object value) {
			return adapter.fromPublisher(Mono.justOrEmpty(value));
		}

	}

}

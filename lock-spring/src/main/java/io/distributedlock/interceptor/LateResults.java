package io.distributedlock.interceptor;

import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.Callable;

import io.distributedlock.interceptor.internal.InvalidAttributeException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * Results whose work starts after the method has returned, when its lock is free. They
 * are listed by name, because most of their libraries may be absent.
 */
final class LateResults {

	private static final String REMEDY = "Return the value itself, such as a List, a CompletableFuture, or with reactor-core a Mono, a Flux"
			+ " or another type that Spring's ReactiveAdapterRegistry knows; or guard the method that does the work";

	private static final String WEB = "org.springframework.web.context.request.async.";

	private static final String MVC = "org.springframework.web.servlet.mvc.method.annotation.";

	private static final String RX = "io.reactivex.rxjava3.core.";

	/** The late types, by name. Their subtypes are late as well. */
	private static final Set<String> LATE = Set.of("org.reactivestreams.Publisher",
			"java.util.concurrent.Flow$Publisher", "kotlinx.coroutines.flow.Flow", RX + "Single", RX + "Maybe",
			RX + "Completable", RX + "Observable", "io.smallrye.mutiny.Uni", "java.util.stream.BaseStream",
			"java.util.Iterator", "kotlin.sequences.Sequence", WEB + "DeferredResult", WEB + "WebAsyncTask",
			MVC + "StreamingResponseBody", MVC + "ResponseBodyEmitter");

	/** Types that only hold another result. */
	private static final Set<String> WRAPPERS = Set.of("java.util.Optional", "java.util.concurrent.CompletionStage",
			"java.util.concurrent.CompletableFuture", "reactor.core.publisher.Mono",
			"org.springframework.http.HttpEntity", "org.springframework.http.ResponseEntity");

	private LateResults() {
	}

	/** Refuse a result that is late by its declared type. */
	static void refuse(ResolvableType type) {
		Class<?> raw = type.resolve(Object.class);
		if (isCode(raw) || isLate(raw)) {
			throw new InvalidAttributeException(
					"it returns a %s, whose work starts after the method has returned".formatted(raw.getName()),
					REMEDY);
		}
		refuseInside(type);
	}

	/**
	 * Refuse a late result inside a declared type. The guard waits for the outer result
	 * only.
	 */
	static void refuseInside(ResolvableType type) {
		if (WRAPPERS.contains(type.resolve(Object.class).getName())) {
			refuse(type.getGeneric(0));
		}
	}

	/** Refuse a late result whose declared type, {@link Object}, does not show it. */
	static @Nullable Object checked(MethodLockSpec spec, @Nullable Object result) {
		if (result != null && isLate(result.getClass())) {
			throw new IllegalStateException(
					"The result of %s, declared as Object, is a %s, whose work starts after the method has returned. %s."
						.formatted(spec, result.getClass().getName(), REMEDY));
		}
		return result;
	}

	/**
	 * Return whether a type is a functional interface itself. A type of the application
	 * that implements one of them may be a plain value.
	 */
	private static boolean isCode(Class<?> type) {
		return type == Callable.class || type == Runnable.class || type.getPackageName().equals("java.util.function")
				|| type.getPackageName().equals("kotlin.jvm.functions");
	}

	/**
	 * Includes interfaces of interfaces, where Reactor's types have {@code Publisher}.
	 */
	private static boolean isLate(@Nullable Class<?> type) {
		return type != null && (LATE.contains(type.getName()) || isLate(type.getSuperclass())
				|| Arrays.stream(type.getInterfaces()).anyMatch(LateResults::isLate));
	}

}

package io.distributedlock.interceptor;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;

import io.distributedlock.interceptor.expression.InvalidAttributeException;
import org.jspecify.annotations.Nullable;

import org.springframework.core.ResolvableType;

/**
 * Results whose work starts after the method has returned, when its lock is free. They
 * are listed by name, because most of their libraries may be absent.
 */
final class LateResults {

	private static final String PROBLEM = "a %s, whose work starts after the method has returned";

	private static final String SEQUENCE = "Return a Mono, a Flux, a type that Spring's ReactiveAdapterRegistry can make of them, or a CompletableFuture"
			+ (ResultKinds.REACTOR ? "" : ", and add reactor-core");

	private static final String LIST = "Return a List";

	private static final String CODE = "Guard the method that it calls, or return what it yields";

	private static final String RESPONSE = "Guard the method that writes the response";

	private static final String PROMISE = "Return a CompletableFuture";

	private static final String WEB = "org.springframework.web.context.request.async.";

	private static final String MVC = "org.springframework.web.servlet.mvc.method.annotation.";

	/** The remedy for a type and its subtypes. */
	private static final Map<String, String> REMEDIES = Map.ofEntries(
			Map.entry("org.reactivestreams.Publisher", SEQUENCE),
			Map.entry("java.util.concurrent.Flow$Publisher", SEQUENCE),
			Map.entry("kotlinx.coroutines.flow.Flow", SEQUENCE),
			Map.entry("io.reactivex.rxjava3.core.Single", SEQUENCE),
			Map.entry("io.reactivex.rxjava3.core.Maybe", SEQUENCE),
			Map.entry("io.reactivex.rxjava3.core.Completable", SEQUENCE),
			Map.entry("io.reactivex.rxjava3.core.Observable", SEQUENCE), Map.entry("io.smallrye.mutiny.Uni", SEQUENCE),
			Map.entry("java.util.stream.BaseStream", LIST), Map.entry("java.util.Iterator", LIST),
			Map.entry("kotlin.sequences.Sequence", LIST), Map.entry(WEB + "DeferredResult", PROMISE),
			Map.entry(WEB + "WebAsyncTask", CODE), Map.entry(MVC + "StreamingResponseBody", RESPONSE),
			Map.entry(MVC + "ResponseBodyEmitter", RESPONSE));

	/** Types that only hold another result. */
	private static final Set<String> WRAPPERS = Set.of("java.util.Optional", "java.util.concurrent.CompletionStage",
			"java.util.concurrent.CompletableFuture", "reactor.core.publisher.Mono",
			"org.springframework.http.HttpEntity", "org.springframework.http.ResponseEntity");

	private static final ClassValue<Optional<String>> OF_CLASS = new ClassValue<>() {

		@Override
		protected Optional<String> computeValue(Class<?> type) {
			return Optional.ofNullable(remedyFor(type));
		}

	};

	private LateResults() {
	}

	/** Refuse a result that is late by its declared type. */
	static void refuse(ResolvableType type) {
		Class<?> raw = type.resolve(Object.class);
		String remedy = isCode(raw) ? CODE : remedyFor(raw);
		if (remedy != null) {
			throw new InvalidAttributeException("it returns " + PROBLEM.formatted(raw.getName()), remedy);
		}
		refuseInside(type);
	}

	/**
	 * Refuse a late result inside a declared type. The guard waits for the outer one
	 * only.
	 */
	static void refuseInside(ResolvableType type) {
		if (WRAPPERS.contains(type.resolve(Object.class).getName())) {
			refuse(type.getGeneric(0));
		}
	}

	/** Refuse a late result whose declared type, {@link Object}, does not show it. */
	static @Nullable Object checked(String method, @Nullable Object result) {
		if (result instanceof Future<?> future && !future.isDone()) {
			throw late(method, "a future that is still pending, and does not keep the lock",
					"Declare CompletableFuture as its result");
		}
		if (result != null && OF_CLASS.get(result.getClass()).isPresent()) {
			throw late(method, PROBLEM.formatted(result.getClass().getName()), OF_CLASS.get(result.getClass()).get());
		}
		return result;
	}

	private static IllegalStateException late(String method, String problem, String remedy) {
		return new IllegalStateException(
				"The result of %s, declared as Object, is %s. %s.".formatted(method, problem, remedy));
	}

	/**
	 * Only the interfaces themselves: a type of the application that implements one of
	 * them may be a plain value.
	 */
	private static boolean isCode(Class<?> type) {
		return type == Callable.class || type == Runnable.class || type.getPackageName().equals("java.util.function")
				|| type.getPackageName().equals("kotlin.jvm.functions");
	}

	/** Looks at interfaces of interfaces, too: Reactor's types have it there. */
	private static @Nullable String remedyFor(@Nullable Class<?> type) {
		if (type == null) {
			return null;
		}
		String own = REMEDIES.get(type.getName());
		String inherited = (own != null) ? own : remedyFor(type.getSuperclass());
		return (inherited != null) ? inherited
				: Arrays.stream(type.getInterfaces())
					.map(LateResults::remedyFor)
					.filter(Objects::nonNull)
					.findFirst()
					.orElse(null);
	}

}

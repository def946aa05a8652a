package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockTemplate;
import io.distributedlock.interceptor.internal.InvalidAttributeException;
import io.distributedlock.reactive.ReactiveLockTemplate;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** Finds the kind of a method's result, and refuses those that would run unguarded. */
final class ResultKinds {

	static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Mono",
			ResultKinds.class.getClassLoader());

	private final BeanFactory beanFactory;

	private final Supplier<LockProfiles> profiles;

	ResultKinds(BeanFactory beanFactory, Supplier<LockProfiles> profiles) {
		this.beanFactory = beanFactory;
		this.profiles = profiles;
	}

	/** The template that takes locks of a registry, which its first call looks up. */
	Supplier<LockTemplate> template(String registry) {
		return SingletonSupplier.of(() -> new LockTemplate(registry(registry), this.profiles.get()));
	}

	/** The kind of a method's result. The first call looks up the registry. */
	ResultKind of(Method method, Class<?> targetClass, ResolvableType type, String registry) {
		LateResults.refuseInside(type);
		boolean suspending = SuspendingFunctions.isSuspending(method);
		if (suspending) {
			refuseUnsupported(type, method);
		}
		Class<?> raw = type.resolve(suspending ? Object.class : method.getReturnType());
		boolean stage = raw == CompletionStage.class || raw == CompletableFuture.class;
		boolean nullable = NullableResults.areDeclared(method, targetClass, stage);
		if (suspending || (REACTOR && !stage && mayBeReactive(raw) && ReactiveResultKind.isReactive(raw))) {
			return new ReactiveResultKind(
					SingletonSupplier.of(() -> new ReactiveLockTemplate(registry(registry), this.profiles.get())), raw,
					suspending, nullable);
		}
		if (!stage) {
			LateResults.refuse(type);
			refuseForeignFuture(raw);
		}
		return new ResultKind(stage, (stage ? type.getGeneric(0) : type).resolve(Object.class), nullable);
	}

	/** Return {@code false} for most types, so that no adapters are loaded for them. */
	private static boolean mayBeReactive(Class<?> type) {
		return type.getClassLoader() != null || Flow.Publisher.class.isAssignableFrom(type);
	}

	private LockRegistry registry(String name) {
		return name.isEmpty() ? this.beanFactory.getBean(LockRegistry.class)
				: this.beanFactory.getBean(name, LockRegistry.class);
	}

	private static void refuseUnsupported(ResolvableType type, Method method) {
		if (!REACTOR || !SuspendingFunctions.isSupported(method)) {
			throw new InvalidAttributeException("it is a suspending function, for which libraries are missing",
					"Add kotlinx-coroutines-reactor and kotlin-reflect, or guard a function that does not suspend");
		}
		if (!ReactiveResultKind.isReactive(type.resolve(Object.class))) {
			LateResults.refuse(type);
		}
	}

	/** The caller needs a future that completes after the release. */
	private static void refuseForeignFuture(Class<?> type) {
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
			throw new InvalidAttributeException(
					"it returns a %s, for the end of which the lock cannot be kept".formatted(type.getName()),
					"Declare CompletableFuture or CompletionStage as its result");
		}
	}

}

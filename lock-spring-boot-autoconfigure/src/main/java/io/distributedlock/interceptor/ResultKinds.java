package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.function.Supplier;

import io.distributedlock.LockProfiles;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockTemplate;

import org.springframework.beans.factory.BeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** Tells the kind of a method's result, and refuses those that would run unguarded. */
final class ResultKinds {

	static final boolean REACTOR = ClassUtils.isPresent("reactor.core.publisher.Mono",
			ResultKinds.class.getClassLoader());

	private final BeanFactory beanFactory;

	private final Supplier<LockProfiles> profiles;

	ResultKinds(BeanFactory beanFactory, Supplier<LockProfiles> profiles) {
		this.beanFactory = beanFactory;
		this.profiles = profiles;
	}

	/**
	 * The kind of a method's result.
	 * @param method the method
	 * @param targetClass the class of the bean
	 * @param registry the bean name of the registry, which is asked for by the first call
	 * @return the kind
	 */
	ResultKind of(Method method, Class<?> targetClass, String registry) {
		ResolvableType type = SuspendingFunctions.resultType(method, targetClass);
		LateResults.refuseInside(type, method, targetClass);
		if (SuspendingFunctions.isSuspending(method)) {
			refuseUnsupported(type, method, targetClass);
			return ReactiveResultKind.ofSuspending(type, () -> registry(registry), this.profiles);
		}
		Class<?> raw = type.resolve(method.getReturnType());
		if (raw == CompletionStage.class || raw == CompletableFuture.class) {
			return new StageResultKind(template(registry), type.getGeneric(0).resolve(Object.class));
		}
		ResultKind reactive = REACTOR ? ReactiveResultKind.of(raw, () -> registry(registry), this.profiles) : null;
		if (reactive != null) {
			return reactive;
		}
		LateResults.refuse(type, method, targetClass);
		refuseForeignFuture(raw, method, targetClass);
		return new ValueResultKind(template(registry), type.resolve(Object.class));
	}

	private Supplier<LockTemplate> template(String registry) {
		return SingletonSupplier.of(() -> new LockTemplate(registry(registry), this.profiles.get()));
	}

	private LockRegistry registry(String name) {
		return name.isEmpty() ? this.beanFactory.getBean(LockRegistry.class)
				: this.beanFactory.getBean(name, LockRegistry.class);
	}

	private static void refuseUnsupported(ResolvableType type, Method method, Class<?> targetClass) {
		if (!REACTOR || !SuspendingFunctions.isSupported(method)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"it is a suspending function, for which libraries are missing",
					"Add kotlinx-coroutines-reactor and kotlin-reflect, or guard a function that does not suspend");
		}
		if (!ReactiveResultKind.isReactive(type.resolve(Object.class))) {
			LateResults.refuse(type, method, targetClass);
		}
	}

	/** The caller has to be given a future that waits for the release. */
	private static void refuseForeignFuture(Class<?> type, Method method, Class<?> targetClass) {
		if (Future.class.isAssignableFrom(type) || CompletionStage.class.isAssignableFrom(type)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"it returns a %s, for the end of which the lock cannot be kept".formatted(type.getName()),
					"Declare CompletableFuture or CompletionStage as its result");
		}
	}

}

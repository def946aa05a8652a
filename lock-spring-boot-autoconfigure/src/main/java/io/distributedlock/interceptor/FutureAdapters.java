package io.distributedlock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The adapters of the application, looked for when a method may need one. */
final class FutureAdapters {

	private static final List<Class<?>> KNOWN = List.of(Object.class, void.class, Future.class, CompletionStage.class,
			CompletableFuture.class);

	private final ConfigurableListableBeanFactory beanFactory;

	FutureAdapters(ConfigurableListableBeanFactory beanFactory) {
		this.beanFactory = beanFactory;
	}

	@Nullable FutureAdapter<?> find(Class<?> type, Method method, Class<?> targetClass) {
		List<Named> fitting = adapters().filter((named) -> {
			check(named, method, targetClass);
			return named.adapter().type() == type;
		}).toList();
		if (fitting.size() > 1) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"there are several FutureAdapter beans for %s: %s".formatted(type.getName(),
							fitting.stream().map(Named::name).sorted().toList()),
					"Keep one of them");
		}
		return fitting.isEmpty() ? null : fitting.get(0).adapter();
	}

	private Stream<Named> adapters() {
		return Stream
			.of(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(this.beanFactory, FutureAdapter.class, true, false))
			.map((name) -> new Named(name, this.beanFactory.getBean(name, FutureAdapter.class)));
	}

	private static void check(Named named, Method method, Class<?> targetClass) {
		Class<?> type = named.adapter().type();
		if (Objects.isNull(type) || type.isPrimitive() || KNOWN.contains(type)) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"the FutureAdapter bean '%s' is for the type %s".formatted(named.name(),
							Objects.isNull(type) ? "null" : type.getName()),
					"Let its type() be the class of a future that the library does not know itself");
		}
	}

	private record Named(String name, FutureAdapter<?> adapter) {
	}

}

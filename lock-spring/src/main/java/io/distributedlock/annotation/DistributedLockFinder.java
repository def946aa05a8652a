package io.distributedlock.annotation;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ConcurrentReferenceHashMap;
import org.springframework.util.ReflectionUtils;

/**
 * Finds {@link DistributedLock}: on the method, the class, the interface method and the
 * interface, in this order. The nearest one counts as a whole; repetitions on one element
 * add up.
 *
 * @since 0.1.0
 */
public final class DistributedLockFinder {

	private static final Map<Class<?>, Boolean> CANDIDATES = new ConcurrentReferenceHashMap<>();

	private DistributedLockFinder() {
	}

	/**
	 * Return whether the declarations of a class need a search: its hierarchy has
	 * annotations of this library. Each type is examined once, so this is cheap for the
	 * many beans that have none.
	 * @param targetClass the class of a bean
	 * @return {@code false} to save the search
	 */
	public static boolean isCandidateClass(@Nullable Class<?> targetClass) {
		if (targetClass == null || !AnnotationUtils.isCandidateClass(targetClass, DistributedLock.class)) {
			return false;
		}
		Boolean known = CANDIDATES.get(targetClass);
		if (known == null) {
			known = isAnnotated(targetClass) || isCandidateClass(targetClass.getSuperclass())
					|| Arrays.stream(targetClass.getInterfaces()).anyMatch(DistributedLockFinder::isCandidateClass);
			CANDIDATES.put(targetClass, known);
		}
		return known;
	}

	private static boolean isAnnotated(Class<?> type) {
		return MergedAnnotations.from(type).isPresent(DistributedLock.class)
				|| Arrays.stream(ReflectionUtils.getDeclaredMethods(type))
					.anyMatch((method) -> MergedAnnotations.from(method).isPresent(DistributedLock.class)
							|| hasTokenParameter(method));
	}

	/**
	 * Return whether a parameter of this method is annotated to receive a token. Methods
	 * that it overrides are not examined.
	 * @param method the method
	 * @return {@code false} also if the annotations cannot be read
	 */
	public static boolean hasTokenParameter(Method method) {
		try {
			return method.getParameterCount() > 0 && Arrays.stream(method.getParameterAnnotations())
				.flatMap(Arrays::stream)
				.anyMatch(FencingToken.class::isInstance);
		}
		catch (RuntimeException | LinkageError ex) {
			return false;
		}
	}

	/**
	 * Find the guarded methods of a class, with valid and invalid declarations.
	 * @param targetClass the class of a bean
	 * @return the methods with annotations that count; none if the methods cannot be
	 * examined, as when a class is missing
	 */
	public static List<Method> guardedMethods(Class<?> targetClass) {
		try {
			return !isCandidateClass(
					targetClass)
							? List.of()
							: Arrays
								.stream(ReflectionUtils.getUniqueDeclaredMethods(targetClass,
										(method) -> !method.isSynthetic()
												&& method.getDeclaringClass() != Object.class))
								.filter((method) -> isGuarded(method, targetClass))
								.toList();
		}
		catch (IllegalStateException | LinkageError ex) {
			return List.of();
		}
	}

	private static boolean isGuarded(Method method, Class<?> targetClass) {
		try {
			return !find(method, targetClass).isEmpty();
		}
		catch (AnnotationConfigurationException ex) {
			return true;
		}
	}

	/**
	 * Find the annotations that count for a method.
	 * @param method the most specific method, maybe private, static or final
	 * @param targetClass the class of the bean
	 * @return one for each lock, outermost first; none if the method is not guarded
	 * @throws AnnotationConfigurationException if aliases contradict each other
	 */
	public static List<DistributedLock> find(Method method, Class<?> targetClass) {
		return search(method, targetClass).stream().map(MergedAnnotation::synthesize).toList();
	}

	/**
	 * Find the declarations that name the parameters of a method. Those that the author
	 * of the annotation saw come first, since expressions use their names.
	 * @param method the most specific method, maybe private, static or final
	 * @param targetClass the class of the bean
	 * @return first the annotated method, or the declarations in the annotated type and
	 * its supertypes; then the method, and the methods that it overrides or implements,
	 * also generic ones
	 * @throws AnnotationConfigurationException if aliases contradict each other
	 */
	public static List<Method> declarations(Method method, Class<?> targetClass) {
		Object source = search(method, targetClass).stream()
			.findFirst()
			.map((found) -> Objects.requireNonNull(found.getSource()))
			.orElse(method);
		return all(method, targetClass).stream()
			.sorted(Comparator.comparing((declaration) -> isCarriedBy(source, declaration) ? 0 : 1))
			.toList();
	}

	private static boolean isCarriedBy(Object source, Method declaration) {
		return (source instanceof Class<?> type) ? declaration.getDeclaringClass().isAssignableFrom(type)
				: source.equals(declaration);
	}

	/** The method and the methods that it overrides or implements, nearest first. */
	private static List<Method> all(Method method, Class<?> targetClass) {
		List<Method> alike = alike(method, targetClass);
		Stream<Method> overridden = types(targetClass).stream()
			.flatMap((type) -> Arrays.stream(ReflectionUtils.getDeclaredMethods(type)))
			.filter((candidate) -> !candidate.isBridge() && !Modifier.isStatic(candidate.getModifiers())
					&& alike.stream().anyMatch((found) -> overrides(found, candidate, targetClass)));
		return Stream.concat(Stream.of(method), overridden).distinct().toList();
	}

	/** The class and its superclasses, then their interfaces. */
	private static Set<Class<?>> types(Class<?> targetClass) {
		Set<Class<?>> types = new LinkedHashSet<>();
		for (Class<?> type = targetClass; type != null; type = type.getSuperclass()) {
			types.add(type);
		}
		List.copyOf(types).forEach((type) -> addInterfaces(type, types));
		return types;
	}

	private static void addInterfaces(Class<?> type, Set<Class<?>> types) {
		for (Class<?> implemented : type.getInterfaces()) {
			types.add(implemented);
			addInterfaces(implemented, types);
		}
	}

	private static boolean overrides(Method method, Method candidate, Class<?> targetClass) {
		return candidate.getName().equals(method.getName())
				&& candidate.getParameterCount() == method.getParameterCount()
				&& AopUtils.getMostSpecificMethod(candidate, targetClass).equals(method);
	}

	/** The method, and the bridges by which callers of a generic type reach it. */
	private static List<Method> alike(Method method, Class<?> targetClass) {
		List<Method> alike = new ArrayList<>(List.of(method));
		ValueClassBridge.to(method, targetClass).forEach((bridge) -> alike.add(bridge.bridge()));
		return alike;
	}

	private static List<MergedAnnotation<DistributedLock>> search(Method method, Class<?> targetClass) {
		boolean open = Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
		List<Method> alike = alike(method, targetClass);
		List<MergedAnnotation<DistributedLock>> found = nearest(alike, SearchStrategy.SUPERCLASS);
		if (found.isEmpty() && open) {
			found = nearest(List.of(targetClass), SearchStrategy.SUPERCLASS);
		}
		if (found.isEmpty()) {
			found = nearest(all(method, targetClass), SearchStrategy.DIRECT);
		}
		return (found.isEmpty() && open) ? ofInterface(method, targetClass) : found;
	}

	private static List<MergedAnnotation<DistributedLock>> ofInterface(Method method, Class<?> targetClass) {
		return types(targetClass).stream()
			.filter((type) -> type.isInterface() && declares(type, method, targetClass))
			.map((type) -> nearest(List.of(type), SearchStrategy.TYPE_HIERARCHY))
			.filter((found) -> !found.isEmpty())
			.findFirst()
			.orElse(List.of());
	}

	private static boolean declares(Class<?> type, Method method, Class<?> targetClass) {
		return all(method, targetClass).stream()
			.map(Method::getDeclaringClass)
			.anyMatch((declaring) -> declaring.isInterface() && declaring.isAssignableFrom(type));
	}

	/** The annotations of the first of several elements that has any. */
	private static List<MergedAnnotation<DistributedLock>> nearest(List<? extends AnnotatedElement> elements,
			SearchStrategy strategy) {
		return elements.stream()
			.map((element) -> nearest(MergedAnnotations.from(element, strategy)))
			.filter((found) -> !found.isEmpty())
			.findFirst()
			.orElse(List.of());
	}

	/**
	 * The annotations of the nearest element, in the order in which they are written. If
	 * an annotation is composed of several others, the nearest one in it counts.
	 */
	private static List<MergedAnnotation<DistributedLock>> nearest(MergedAnnotations annotations) {
		List<MergedAnnotation<DistributedLock>> all = annotations.stream(DistributedLock.class).toList();
		int element = all.stream().mapToInt(MergedAnnotation::getAggregateIndex).min().orElse(0);
		Map<Annotation, Integer> distances = new HashMap<>();
		all.forEach((found) -> distances.merge(root(found), found.getDistance(), Math::min));
		return all.stream()
			.filter((found) -> found.getAggregateIndex() == element
					&& found.getDistance() <= distances.getOrDefault(root(found), 0))
			.toList();
	}

	private static Annotation root(MergedAnnotation<?> found) {
		return found.getRoot().synthesize();
	}

}

package io.distributedlock.annotation;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.LockOptions;
import io.distributedlock.interceptor.InvalidLockDeclarationException;
import io.distributedlock.interceptor.LockDeclaration;
import io.distributedlock.interceptor.LockDeclarationParser;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotationConfigurationException;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Finds {@link DistributedLock}: on the method, the class, the interface method and the
 * interface, in this order. The nearest one counts as a whole; repetitions on one element
 * add up.
 *
 * @since 0.1.0
 */
public final class DistributedLockAnnotationParser implements LockDeclarationParser {

	@Override
	public boolean isCandidateClass(Class<?> targetClass) {
		return AnnotationUtils.isCandidateClass(targetClass, DistributedLock.class);
	}

	@Override
	public List<LockDeclaration> parse(Method method, Class<?> targetClass) {
		try {
			return parseConsistent(method, targetClass);
		}
		catch (AnnotationConfigurationException ex) {
			throw new InvalidLockDeclarationException(targetClass, method,
					"its annotation contradicts itself: "
							+ StringUtils.trimTrailingCharacter(String.valueOf(ex.getMessage()), '.'),
					"Set only one of the attributes that stand for the same: either key or value", ex);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockDeclarationException(targetClass, method, String.valueOf(ex.getMessage()),
					"Correct the annotation", ex);
		}
	}

	private List<LockDeclaration> parseConsistent(Method method, Class<?> targetClass) {
		List<MergedAnnotation<DistributedLock>> found = find(method, targetClass);
		if (found.isEmpty()) {
			TokenParameterFinder.requireNone(method, targetClass);
			return List.of();
		}
		TokenParameterFinder tokens = new TokenParameterFinder(method, targetClass);
		List<DistributedLock> locks = found.stream().map(MergedAnnotation::synthesize).toList();
		Method source = (found.get(0).getSource() instanceof Method annotated) ? annotated : null;
		return locks.stream().map((lock) -> declaration(lock, source, tokens.of(lock, locks))).toList();
	}

	private List<MergedAnnotation<DistributedLock>> find(Method method, Class<?> targetClass) {
		boolean open = Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
		List<MergedAnnotation<DistributedLock>> found = nearest(
				MergedAnnotations.from(method, SearchStrategy.SUPERCLASS));
		if (found.isEmpty() && open) {
			found = nearest(MergedAnnotations.from(targetClass, SearchStrategy.SUPERCLASS));
		}
		if (found.isEmpty()) {
			found = nearest(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY));
		}
		return (found.isEmpty() && open) ? ofInterface(method, targetClass) : found;
	}

	private List<MergedAnnotation<DistributedLock>> ofInterface(Method method, Class<?> targetClass) {
		for (Class<?> type : ClassUtils.getAllInterfacesForClass(targetClass)) {
			List<MergedAnnotation<DistributedLock>> found = nearest(
					MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY));
			if (!found.isEmpty() && declares(type, method, targetClass)) {
				return found;
			}
		}
		return List.of();
	}

	private static boolean declares(Class<?> type, Method method, Class<?> targetClass) {
		return Arrays.stream(type.getMethods())
			.filter((candidate) -> candidate.getName().equals(method.getName()))
			.anyMatch((candidate) -> AopUtils.getMostSpecificMethod(candidate, targetClass).equals(method));
	}

	/**
	 * All that the nearest element carries, in the order in which they are written. Of an
	 * annotation that is composed of several others, the nearest one counts.
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

	private static LockDeclaration declaration(DistributedLock lock, @Nullable Method source,
			List<LockDeclaration.TokenParameter> tokens) {
		Boolean renew = (lock.renew() != Renewal.DEFAULT) ? lock.renew() == Renewal.ON : null;
		Integer permits = (lock.permits() != 0) ? lock.permits() : null;
		return new LockDeclaration(source,
				new LockDeclaration.Subject(List.of(lock.key()), lock.name(), lock.condition(), lock.registry()),
				new LockDeclaration.Times(lock.ttl(), lock.waitFor(), lock.maxHold(), lock.keepFor()),
				new LockOptions(null, null, renew, null, null, lock.mode(), permits, lock.whenBusy(), lock.whenLost(),
						lock.whenUnavailable()),
				lock.fallback(), tokens);
	}

}

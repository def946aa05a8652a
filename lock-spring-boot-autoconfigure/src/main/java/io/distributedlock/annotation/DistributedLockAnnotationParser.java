package io.distributedlock.annotation;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.interceptor.LockDeclaration;
import io.distributedlock.interceptor.LockDeclarationParser;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Finds {@link DistributedLock}: on the method, the class, the interface method and the
 * interface, in this order. The nearest one counts as a whole.
 *
 * @since 0.1.0
 */
public final class DistributedLockAnnotationParser implements LockDeclarationParser {

	private static final Comparator<MergedAnnotation<DistributedLock>> NEAREST = Comparator
		.<MergedAnnotation<DistributedLock>>comparingInt(MergedAnnotation::getAggregateIndex)
		.thenComparingInt(MergedAnnotation::getDistance);

	@Override
	public boolean isCandidateClass(Class<?> targetClass) {
		return AnnotationUtils.isCandidateClass(targetClass, DistributedLock.class);
	}

	@Override
	public @Nullable LockDeclaration parse(Method method, Class<?> targetClass) {
		boolean open = Modifier.isPublic(method.getModifiers()) && !Modifier.isStatic(method.getModifiers());
		MergedAnnotation<DistributedLock> found = nearest(MergedAnnotations.from(method, SearchStrategy.SUPERCLASS));
		if (found == null && open) {
			found = nearest(MergedAnnotations.from(targetClass, SearchStrategy.SUPERCLASS));
		}
		if (found == null) {
			found = nearest(MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY));
		}
		if (found == null && open) {
			found = ofInterface(method, targetClass);
		}
		return (found != null) ? declaration(found) : null;
	}

	private @Nullable MergedAnnotation<DistributedLock> ofInterface(Method method, Class<?> targetClass) {
		for (Class<?> type : ClassUtils.getAllInterfacesForClass(targetClass)) {
			MergedAnnotation<DistributedLock> found = nearest(
					MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY));
			if (found != null && declares(type, method, targetClass)) {
				return found;
			}
		}
		return null;
	}

	private static boolean declares(Class<?> type, Method method, Class<?> targetClass) {
		return Arrays.stream(type.getMethods())
			.filter((candidate) -> candidate.getName().equals(method.getName()))
			.anyMatch((candidate) -> AopUtils.getMostSpecificMethod(candidate, targetClass).equals(method));
	}

	private static @Nullable MergedAnnotation<DistributedLock> nearest(MergedAnnotations annotations) {
		try (Stream<MergedAnnotation<DistributedLock>> found = annotations.stream(DistributedLock.class)) {
			return found.min(NEAREST).orElse(null);
		}
	}

	private static LockDeclaration declaration(MergedAnnotation<DistributedLock> found) {
		DistributedLock lock = found.synthesize();
		Method source = (found.getSource() instanceof Method method) ? method : null;
		Boolean renew = (lock.renew() != Renewal.DEFAULT) ? lock.renew() == Renewal.ON : null;
		return new LockDeclaration(source, List.of(lock.key()), lock.name(),
				new LockDeclaration.Times(lock.ttl(), lock.waitFor(), lock.maxHold(), lock.keepFor()), renew,
				new LockDeclaration.Policies(lock.whenBusy(), lock.fallback(), lock.whenLost(), lock.whenUnavailable()),
				lock.condition(), lock.registry());
	}

}

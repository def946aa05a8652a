package io.distributedlock.aspectj;

import io.distributedlock.interceptor.LockInterceptor;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;
import org.jspecify.annotations.Nullable;

/**
 * Puts the lock into the code of annotated methods, at compile time or at load time. So
 * calls from within the same object are guarded too, and objects that are not beans. A
 * guarded call does the same as with a proxy. Unless {@code distributed-lock.advice} is
 * {@code aspectj}, woven methods run as if they had not been woven.
 * <p>
 * The aspect finds the annotation and composed annotations of it (also two levels deep)
 * on the method itself. For public methods it also finds them on the declaring class, on
 * an interface that declares the method and, uncomposed, on a superclass. An annotation
 * on a method of an interface or of a superclass does not reach the method that overrides
 * it. Beans with such a method stop the start of the application. Woven together with
 * Spring's transaction aspect, the lock is outside.
 *
 * @since 0.1.0
 */
@Aspect
@DeclarePrecedence("io.distributedlock.aspectj.DistributedLockAspect, org.springframework.transaction.aspectj..*")
public final class DistributedLockAspect {

	private static final String NAME = "io.distributedlock.annotation.DistributedLock";

	/** Also matches the container of repeated annotations. */
	private static final String LOCK = "@(" + NAME + "*)";

	private static final String COMPOSED = "@(" + LOCK + " *)";

	private static final String COMPOSED_TWICE = "@(" + COMPOSED + " *)";

	private static final String ON_METHODS = "execution(" + LOCK + " !static * *(..)) || execution(" + COMPOSED
			+ " !static * *(..)) || execution(" + COMPOSED_TWICE + " !static * *(..))";

	/**
	 * Matches the methods of annotated types. An annotated interface adds only its own
	 * methods, as its classes implement them. Only an annotation that is named without a
	 * wildcard is inherited.
	 */
	private static final String ON_TYPES = "execution(public !static * (@" + NAME
			+ " *..*).*(..)) || execution(public !static * (" + LOCK + " *..*).*(..)) || execution(public !static * ("
			+ COMPOSED + " *..*).*(..)) || execution(public !static * (" + COMPOSED_TWICE + " *..*).*(..))";

	/** Excludes proxies, which are seen at load time. Annotations are proxies as well. */
	private static final String NOT_GENERATED = "!within(java.lang.reflect.Proxy+) && !within(org.springframework.aop.SpringProxy+)";

	private static final DistributedLockAspect INSTANCE = new DistributedLockAspect();

	private DistributedLockAspect() {
	}

	/**
	 * The aspect. Woven code calls this; it is written here because the class is not
	 * compiled by the AspectJ compiler, which would generate it.
	 * @return the only instance
	 */
	public static DistributedLockAspect aspectOf() {
		return INSTANCE;
	}

	/**
	 * Return whether there is an aspect. Woven code may call this.
	 * @return always {@code true}
	 */
	public static boolean hasAspect() {
		return true;
	}

	/**
	 * Run a method that may be guarded. Of the public methods of an annotated type, the
	 * specifications decide which ones are.
	 * @param joinPoint the execution of the method
	 * @return the result of the method, or the one that replaces it if the lock cannot be
	 * had
	 * @throws Throwable the exception of the method, or the failure of the lock
	 */
	@Around(value = "(" + ON_METHODS + " || " + ON_TYPES + ") && " + NOT_GENERATED, argNames = "joinPoint")
	public @Nullable Object guard(ProceedingJoinPoint joinPoint) throws Throwable {
		LockWeaving weaving = LockWeaving.current();
		if (weaving == null) {
			throw new IllegalStateException(
					"%s is woven with the lock, but no application context says how to lock: none has been started, or it is closed. The method was not run"
						.formatted(joinPoint.getSignature().toLongString()));
		}
		AdvicePosition position = new AdvicePosition(joinPoint);
		try {
			LockInterceptor interceptor = weaving.interceptor();
			return (interceptor != null) ? interceptor.invoke(new JoinPointInvocation(joinPoint, position))
					: joinPoint.proceed();
		}
		finally {
			position.take();
		}
	}

}

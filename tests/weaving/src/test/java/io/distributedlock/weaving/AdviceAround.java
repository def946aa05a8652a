package io.distributedlock.weaving;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.concurrent.atomic.AtomicInteger;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.aspectj.lang.annotation.DeclarePrecedence;

/** Advice of an application, woven around the same methods as the lock. */
interface AdviceAround {

	/** Has advice outside the lock and inside it. */
	@Retention(RetentionPolicy.RUNTIME)
	@interface Surrounded {

	}

	/** Tries four times. */
	@Aspect
	@DeclarePrecedence("io.distributedlock.weaving.AdviceAround.Retries,"
			+ " io.distributedlock.aspectj.DistributedLockAspect, io.distributedlock.weaving.AdviceAround.Counts")
	class Retries {

		static final int ATTEMPTS = 4;

		@Around("execution(@io.distributedlock.weaving.AdviceAround.Surrounded * *(..))")
		public Object retry(ProceedingJoinPoint joinPoint) throws Throwable {
			for (int attempt = 1;; attempt++) {
				try {
					return joinPoint.proceed();
				}
				catch (IllegalStateException ex) {
					if (attempt == ATTEMPTS) {
						throw ex;
					}
				}
			}
		}

	}

	/** Counts the calls that have their lock. */
	@Aspect
	class Counts {

		static final AtomicInteger CALLS = new AtomicInteger();

		@Around("execution(@io.distributedlock.weaving.AdviceAround.Surrounded * *(..))")
		public Object count(ProceedingJoinPoint joinPoint) throws Throwable {
			CALLS.incrementAndGet();
			return joinPoint.proceed();
		}

	}

}

package io.distributedlock.ownaspect;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import java.util.function.Function;

import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;

import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The aspect that many projects have written for themselves: lock, new transaction,
 * commit, unlock.
 */
@Aspect
class HomeMadeAspect {

	private final Function<String, Lock> locks;

	private final TransactionTemplate newTransaction;

	/** The locks are those of Redisson, or of the JDK where Redis is not the point. */
	HomeMadeAspect(Function<String, Lock> locks, PlatformTransactionManager transactions) {
		this.locks = locks;
		this.newTransaction = new TransactionTemplate(transactions);
		this.newTransaction.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
	}

	@Around("@annotation(guard)")
	Object around(ProceedingJoinPoint call, HomeMadeLock guard) throws InterruptedException {
		Lock lock = this.locks.apply(guard.value());
		if (!lock.tryLock(guard.waitMillis(), TimeUnit.MILLISECONDS)) {
			throw new BusyException();
		}
		try {
			return guard.newTransaction() ? this.newTransaction.execute((status) -> proceed(call)) : proceed(call);
		}
		finally {
			lock.unlock();
		}
	}

	private static Object proceed(ProceedingJoinPoint call) {
		try {
			return call.proceed();
		}
		catch (RuntimeException | Error ex) {
			throw ex;
		}
		catch (Throwable ex) {
			throw new IllegalStateException(ex);
		}
	}

	/** The lock was taken by another call. */
	static class BusyException extends RuntimeException {

	}

}

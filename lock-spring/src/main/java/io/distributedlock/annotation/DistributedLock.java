package io.distributedlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.distributedlock.LockException;
import io.distributedlock.LockLostException;
import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockUpgradeException;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenLost;
import io.distributedlock.WhenUnavailable;
import org.springframework.core.annotation.AliasFor;

/**
 * Guards a method with a lock: at most one call runs at a time across all instances of
 * the application, or as many as its {@link #mode()} allows. On a class or interface it
 * guards every public method. It is searched for on the method, the class, the interface
 * method and the interface, in this order, and the nearest one counts as a whole.
 * Composed annotations may rename attributes with {@code @AliasFor}. Repeated on one
 * element, each is a lock of its own, with its own policies. They are taken in the order
 * in which they are written, and released in reverse.
 * <p>
 * The method runs while a lease is held that is renewed in the background. If the lease
 * is lost all the same, another holder may run at the same time. {@link #whenLost()} then
 * decides about the call, and the {@link FencingToken} lets the resource refuse the late
 * holder. The exception of the method always wins: a failure of the release is added to
 * it as suppressed.
 * <p>
 * The same thread may enter the lock again, except with mode {@code SEMAPHORE}. A method
 * that returns a {@code CompletionStage} or {@code CompletableFuture} keeps the lock
 * until that has completed. Its caller's thread waits for the lock, and a busy lock is
 * reported there. Reactive and suspending methods take the lock for each subscription and
 * block no thread. If a transaction is open when the method is called, the lock is kept
 * until that transaction has completed. The transaction rolls back if the lock was lost;
 * a snapshot that it read before stays as old as it is.
 * <p>
 * Methods are guarded through a proxy, so calls from within the same object are not
 * guarded. Private and static methods are refused when the application starts, and so are
 * final ones, except behind a JDK proxy. Other mistakes in this annotation stop the start
 * as well, except those that only a call can find. With {@code distributed-lock.advice}
 * {@code aspectj} the lock is woven into the methods instead, which reaches all but
 * static methods and suspending functions.
 * <p>
 * Durations are written as {@code 10s}, {@code 500ms}, {@code PT10S} or a plain number of
 * milliseconds. Placeholders {@code ${…}} are resolved in all attributes but
 * {@link #fallback()}. An empty duration and a {@code DEFAULT} defer to the
 * configuration. The properties {@code distributed-lock.locks.<name>.*} win over this
 * annotation.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
@Repeatable(DistributedLocks.class)
public @interface DistributedLock {

	/**
	 * Alias for {@link #key()}.
	 * @return SpEL expressions
	 */
	@AliasFor("key")
	String[] value() default {};

	/**
	 * The keys to lock, as SpEL expressions: {@code #order.id}, {@code #p0} or
	 * {@code #a0} for the first argument, {@code #root.methodName}, {@code #root.target},
	 * {@code #root.targetClass}, {@code #root.method}, {@code #root.args},
	 * {@code @bean.method()}. A literal needs quotes: {@code "'orders'"}.
	 * <p>
	 * Several expressions, or one that yields a collection or array, are several keys,
	 * taken together in sorted order: all or none. A null or blank key is an error, and
	 * the method does not run. Without a key the lock is on the method itself: target
	 * class, method name and parameter types.
	 * @return SpEL expressions
	 */
	@AliasFor("value")
	String[] key() default {};

	/**
	 * The namespace of the keys and the name of the tuning profile
	 * {@code distributed-lock.locks.<name>.*}. A literal, with placeholders. Methods with
	 * equal keys and equal names exclude each other, even in different classes.
	 * @return the name, by default none
	 */
	String name() default "";

	/**
	 * The time for which the lock outlives a holder that died: a duration from 10 ms,
	 * with renewal from 200 ms, to 365 days. By default {@code distributed-lock.ttl},
	 * which is 30 s.
	 * @return the lease
	 */
	String ttl() default "";

	/**
	 * The total budget for getting the lock, as a duration. It includes the wait behind
	 * other threads of this instance. {@code 0} tries once. By default
	 * {@code distributed-lock.wait}, which is 5 s, or {@code 0} with {@link #keepFor()}.
	 * @return the budget
	 */
	String waitFor() default "";

	/**
	 * Renewal of the lease while the method runs. By default
	 * {@code distributed-lock.renew}, which is on.
	 * @return on, off, or the configured value
	 */
	Renewal renew() default Renewal.DEFAULT;

	/**
	 * Renewal stops this long after the acquisition, as a duration up to 365 days, so the
	 * lock is held at most {@code maxHold + ttl}. By default
	 * {@code distributed-lock.max-hold}, which is no limit.
	 * @return the limit
	 */
	String maxHold() default "";

	/**
	 * The lock stays taken at least this long after it was acquired, even if the method
	 * is done or its process dies. A duration up to 365 days. So a job that is started on
	 * ten nodes at slightly different times runs once. With it {@link #waitFor()}
	 * defaults to {@code 0}, and {@link #whenBusy()} to {@link WhenBusy#SKIP} where the
	 * result can be empty. By default {@code 0}.
	 * @return the time
	 */
	String keepFor() default "";

	/**
	 * The lock stays closed this long after the lease has run out without a release, for
	 * resources that cannot check a fencing token: what a process has sent before it lost
	 * the lock or died may arrive until then. A duration up to a day, for modes with one
	 * holder; readers have none. By default {@code 0}.
	 * @return the time
	 */
	String lockDelay() default "";

	/**
	 * The kind of lock: one holder, one holder in the order of the requests, readers and
	 * writers, or a semaphore with {@link #permits()}. All methods that take the same
	 * lock have to agree on whether it is a semaphore. A reader that calls a method which
	 * takes the same lock in a mode that excludes readers gets a
	 * {@link LockUpgradeException} at once, with any {@link #whenBusy()}. By default
	 * {@link LockMode#EXCLUSIVE}, unless a {@link io.distributedlock.LockProfiles} bean
	 * of the application sets another mode for all locks.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * The number of calls that may run at once with mode {@link LockMode#SEMAPHORE}, from
	 * 1 to 10,000; a call takes one permit, or {@link #take() several}. All methods that
	 * take the same lock have to give the same number. Not for other modes.
	 * @return the number of permits, or {@code 0} for the configured number
	 */
	int permits() default 0;

	/**
	 * The number of permits that a call takes with mode {@link LockMode#SEMAPHORE}, all
	 * or none, from 1 to 1,000 and not more than {@link #permits()}. Calls that take many
	 * may wait for long behind calls of other instances that take few.
	 * @return the number, or {@code 0} for the configured number, which is 1
	 */
	int take() default 0;

	/**
	 * The reaction to a lock that stayed taken for the whole budget: throw
	 * {@link LockNotAcquiredException}, skip the call where the result can be empty, or
	 * call the {@link #fallback()}. By default call the fallback if there is one, else
	 * skip if {@link #keepFor()} is set and the result can be empty. Otherwise a
	 * {@link io.distributedlock.interceptor.LockFailureHandler} decides; without one,
	 * throw.
	 * @return the policy
	 */
	WhenBusy whenBusy() default WhenBusy.DEFAULT;

	/**
	 * The method to call instead when the lock is busy: a method of the same class,
	 * possibly private, with the same parameters and the same kind of result. It may take
	 * the {@link LockException} as an additional last parameter.
	 * @return the name of the method, by default none
	 */
	String fallback() default "";

	/**
	 * The reaction to a lease that is lost while the method runs: throw
	 * {@link LockLostException} after it, interrupt its thread and throw, or ignore the
	 * loss. By default throw.
	 * @return the policy
	 */
	WhenLost whenLost() default WhenLost.DEFAULT;

	/**
	 * The reaction to a store that cannot be reached: throw, skip the call where the
	 * result can be empty, or proceed without a lock. A store that is reached but
	 * misconfigured always throws. By default a
	 * {@link io.distributedlock.interceptor.LockFailureHandler} decides, else
	 * {@code distributed-lock.when-unavailable}, which is to throw. If that is to skip,
	 * methods whose result cannot be empty throw.
	 * @return the policy
	 */
	WhenUnavailable whenUnavailable() default WhenUnavailable.DEFAULT;

	/**
	 * A SpEL expression with the same variables as in {@link #key()}. If it is false,
	 * this call runs without a lock.
	 * @return the condition, by default always true
	 */
	String condition() default "";

	/**
	 * The bean name of the registry, where there are several.
	 * @return the bean name, by default the starter's registry or the primary one
	 */
	String registry() default "";

}

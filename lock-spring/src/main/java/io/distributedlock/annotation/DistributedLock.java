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
 * Runs a method in at most one place at a time across all instances of the application,
 * or in as many as its {@link #mode()} allows. On a class or interface it guards every
 * public method. It is found on the method, the class, the interface method and the
 * interface, in this order, and the nearest one counts as a whole; composed annotations
 * may rename attributes with {@code @AliasFor}. Repeated on one element, each is a lock
 * of its own: taken in the order in which they are written, released in reverse, with its
 * own policies.
 * <p>
 * The method runs while a lease is held that is renewed in the background. If the lease
 * is lost all the same, another holder may run at the same time; {@link #whenLost()} says
 * what happens then, and the {@link FencingToken} lets the resource refuse the one that
 * is late. The exception of the method always wins: what goes wrong at the release is
 * added to it as suppressed.
 * <p>
 * The same thread may enter the lock again. A method that returns a
 * {@code CompletionStage} or {@code CompletableFuture} keeps the lock until that has
 * completed; the lock is waited for, and a busy one reported, on the thread of the
 * caller. Reactive and suspending methods take the lock for each subscription and block
 * no thread. If a transaction is open when the method is called, the lock is kept until
 * that transaction has completed, and it rolls back if the lock was lost; a snapshot it
 * read before stays as old as it is.
 * <p>
 * Methods are guarded through a proxy: calls from within the same object are not, and
 * private, final or static methods are refused when the application starts. So is
 * everything else that is wrong with this annotation. With
 * {@code distributed-lock.advice} {@code aspectj} the lock is woven into the methods
 * instead, which reaches all but the static ones.
 * <p>
 * Durations are written as {@code 10s}, {@code 500ms}, {@code PT10S} or a plain number of
 * milliseconds. Placeholders {@code ${…}} are resolved in {@link #name()},
 * {@link #registry()} and in all durations. An empty duration and a {@code DEFAULT} defer
 * to the configuration. What {@code distributed-lock.locks.<name>.*} says has the last
 * word over this annotation.
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
	 * equal keys and equal names exclude each other, wherever they are.
	 * @return the name, by default none
	 */
	String name() default "";

	/**
	 * How long the lock outlives a holder that died, as a duration from 10 ms, with
	 * renewal from 200 ms, to 365 days. By default {@code distributed-lock.ttl}, which is
	 * 30 s.
	 * @return the lease
	 */
	String ttl() default "";

	/**
	 * The total budget for getting the lock, as a duration, waiting behind other threads
	 * of this instance included. {@code 0} tries once. By default
	 * {@code distributed-lock.wait}, which is 5 s, or {@code 0} with {@link #keepFor()}.
	 * @return the budget
	 */
	String waitFor() default "";

	/**
	 * Whether the lease is renewed while the method runs. By default
	 * {@code distributed-lock.renew}, which is on.
	 * @return on, off, or what is configured
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
	 * The lock stays taken at least this long after it was acquired, as a duration up to
	 * 365 days, even if the method is done or its process dies: a job that is started on
	 * ten nodes at slightly different times runs once. With it {@link #waitFor()}
	 * defaults to {@code 0}, and {@link #whenBusy()} to {@link WhenBusy#SKIP} where the
	 * result can be empty. By default {@code 0}.
	 * @return the time
	 */
	String keepFor() default "";

	/**
	 * What kind of lock it is: one holder, one after the other as they came, readers and
	 * writers, or a semaphore with {@link #permits()}. All methods that take the same
	 * lock have to agree on whether it is a semaphore. A reader that calls a method which
	 * takes the same lock in a mode that excludes readers gets a
	 * {@link LockUpgradeException} at once, whatever {@link #whenBusy()} says. By default
	 * {@link LockMode#EXCLUSIVE}, or the mode that all locks have by
	 * {@link io.distributedlock.LockProfiles} of the application's own.
	 * @return the mode
	 */
	LockMode mode() default LockMode.EXCLUSIVE;

	/**
	 * How many calls may run at once with mode {@link LockMode#SEMAPHORE}, from 1 to
	 * 10,000; a call takes one permit. All methods that take the same lock have to name
	 * the same number. Not for other modes.
	 * @return the number of permits, or {@code 0} for what is configured
	 */
	int permits() default 0;

	/**
	 * What happens if the lock stayed taken for the whole budget: throw
	 * {@link LockNotAcquiredException}, skip the call where the result can be empty, or
	 * call the {@link #fallback()}. By default call the fallback if there is one, else
	 * what a {@link io.distributedlock.interceptor.LockFailureHandler} decides, else
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
	 * What happens if the lease is lost while the method runs: throw
	 * {@link LockLostException} after it, interrupt its thread and throw, or ignore it.
	 * By default throw.
	 * @return the policy
	 */
	WhenLost whenLost() default WhenLost.DEFAULT;

	/**
	 * What happens if the store of the locks cannot be reached: throw, skip the call
	 * where the result can be empty, or proceed without a lock. A store that is reached
	 * but misconfigured always throws. By default what a
	 * {@link io.distributedlock.interceptor.LockFailureHandler} decides, else
	 * {@code distributed-lock.when-unavailable}, which is to throw; if that is to skip,
	 * methods whose result cannot be empty throw.
	 * @return the policy
	 */
	WhenUnavailable whenUnavailable() default WhenUnavailable.DEFAULT;

	/**
	 * A SpEL expression, with what is there for keys. If it is false, this call runs
	 * without a lock.
	 * @return the condition, by default always true
	 */
	String condition() default "";

	/**
	 * The bean name of the registry, where there are several.
	 * @return the bean name, by default the starter's registry or the primary one
	 */
	String registry() default "";

}

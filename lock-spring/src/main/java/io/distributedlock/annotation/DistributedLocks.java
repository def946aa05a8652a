package io.distributedlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Several locks for one method: taken in the order in which they are written, released in
 * reverse, each with its own policies. The compiler adds it where {@link DistributedLock}
 * is repeated.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Documented
public @interface DistributedLocks {

	/**
	 * The locks.
	 * @return the locks, outermost first
	 */
	DistributedLock[] value();

}

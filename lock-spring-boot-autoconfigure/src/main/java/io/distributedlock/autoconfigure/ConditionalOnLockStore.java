package io.distributedlock.autoconfigure;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import org.springframework.context.annotation.Conditional;

/**
 * Matches if {@code distributed-lock.store} names a certain store, in upper or lower
 * case. For the bean {@code distributedLockStore} of a {@link LockStoreType}.
 *
 * @since 0.1.0
 */
@Target({ ElementType.TYPE, ElementType.METHOD })
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Conditional(OnLockStoreCondition.class)
public @interface ConditionalOnLockStore {

	/**
	 * The name, as {@link LockStoreType#name()} has it.
	 * @return the name
	 */
	String value();

}

package io.distributedlock.annotation;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.distributedlock.Lease;
import org.springframework.core.annotation.AliasFor;

/**
 * Marks the parameter of a guarded method that receives the fencing token of its lock.
 * The parameter is a {@code long}, or a {@code Long} where the method has a
 * {@code condition}. The value that the caller passes is always replaced. Where the
 * method runs without a lock because its condition is false, the parameter is
 * {@code null}. A fallback receives {@code 0} or {@code null}, never a token that the
 * caller made up.
 * <p>
 * The token is fixed at the acquisition. It lets the resource recognize a late holder, so
 * it is of use only where the resource refuses tokens older than one it has seen. In rare
 * cases it is {@linkplain Lease#fencingToken() smaller} than an earlier one; then the
 * resource refuses its holder.
 * <p>
 * With mode {@code READ} it is the token of the last holder that excluded readers, and
 * all readers at that time share it. Data with a larger token at the resource was written
 * after their lock was lost. With mode {@code SEMAPHORE} the parameter stops the start:
 * holders run side by side, so a smaller token does not mean a late holder.
 *
 * @since 0.1.0
 * @see Lease#fencingToken()
 */
@Target(ElementType.PARAMETER)
@Retention(RetentionPolicy.RUNTIME)
@Documented
public @interface FencingToken {

	/**
	 * Alias for {@link #key()}.
	 * @return a SpEL expression
	 */
	@AliasFor("key")
	String value() default "";

	/**
	 * The key whose token is meant, where the lock has several: a SpEL expression that
	 * yields one of them, such as {@code #from}. Needed only where the keys have no token
	 * in common, because the store cannot take them in one step. A key that is not locked
	 * is an error, and the method does not run.
	 * @return a SpEL expression, by default the only key or the common token
	 */
	@AliasFor("value")
	String key() default "";

	/**
	 * The {@link DistributedLock#name() name} of the lock whose token is meant, as it is
	 * written there, where the annotation is repeated.
	 * @return the name, by default the only lock
	 */
	String name() default "";

}

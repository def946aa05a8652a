package io.distributedlock.ownaspect;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The annotation that many projects have written for themselves. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@interface HomeMadeLock {

	/** The name of the lock. */
	String value();

	/** How long to wait for the lock, in milliseconds. */
	long waitMillis() default 240_000;

	/** A transaction of its own for the method, which commits before the release. */
	boolean newTransaction() default true;

}

package io.distributedlock.test;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Adds a {@link TestLocks} bean to the application context of a test, and keeps the locks
 * in memory instead of the application's store. Everything else is as in the application:
 * the registry, the guarded methods and their configuration. After each test method
 * {@link TestLocks#reset()} is called.
 * <p>
 * The context needs the auto-configuration of the locks. {@code @SpringBootTest} has it;
 * in a slice such as {@code @JdbcTest} import it by
 * {@code @ImportAutoConfiguration(DistributedLockAutoConfiguration.class)}.
 *
 * @since 0.1.0
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Inherited
public @interface AutoConfigureTestLocks {

	/**
	 * The store that a store in memory replaces, by default the auto-configured one.
	 * @return the store to replace
	 */
	Replace replace() default Replace.AUTO_CONFIGURED;

	/** The store that is replaced. */
	enum Replace {

		/**
		 * The store of the auto-configuration, for any value of
		 * {@code distributed-lock.store}. An application that declares a bean
		 * {@code distributedLockStore} itself needs {@link #NONE}.
		 */
		AUTO_CONFIGURED,

		/**
		 * No store: the locks stay where the application keeps them, for instance in
		 * Redis.
		 */
		NONE

	}

}

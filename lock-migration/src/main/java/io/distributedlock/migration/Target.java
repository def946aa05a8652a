package io.distributedlock.migration;

import org.openrewrite.java.JavaParser;

/**
 * The types of this library that recipes write into sources. They are declared here as
 * far as recipes use them, since the parser of a template sees no class path;
 * {@code TargetTests} compares them with the real ones.
 */
final class Target {

	static final String ANNOTATION = "io.distributedlock.annotation.DistributedLock";

	static final String RENEWAL = "io.distributedlock.annotation.Renewal";

	static final String WHEN_BUSY = "io.distributedlock.WhenBusy";

	static final String WHEN_LOST = "io.distributedlock.WhenLost";

	static final String MODE = "io.distributedlock.LockMode";

	static final String LEASE = "io.distributedlock.Lease";

	static final String LOCK = "io.distributedlock.LeaseLock";

	static final String READ_WRITE_LOCK = "io.distributedlock.LeaseReadWriteLock";

	static final String REGISTRY = "io.distributedlock.LockRegistry";

	static final String[] SOURCES = { """
			package io.distributedlock.annotation;
			public @interface DistributedLock {
				String[] value() default {};
				String[] key() default {};
				String name() default "";
				String ttl() default "";
				String waitFor() default "";
				Renewal renew() default Renewal.DEFAULT;
				String keepFor() default "";
				io.distributedlock.LockMode mode() default io.distributedlock.LockMode.EXCLUSIVE;
				io.distributedlock.WhenBusy whenBusy() default io.distributedlock.WhenBusy.DEFAULT;
				String fallback() default "";
				io.distributedlock.WhenLost whenLost() default io.distributedlock.WhenLost.DEFAULT;
			}
			""", """
			package io.distributedlock.annotation;
			public enum Renewal { DEFAULT, ON, OFF }
			""", """
			package io.distributedlock;
			public enum WhenBusy { DEFAULT, THROW, SKIP, FALLBACK }
			""", """
			package io.distributedlock;
			public enum WhenLost { DEFAULT, THROW, INTERRUPT, IGNORE }
			""", """
			package io.distributedlock;
			public enum LockMode { EXCLUSIVE, FAIR, READ, SEMAPHORE }
			""", """
			package io.distributedlock;
			public interface Lease extends AutoCloseable {
				static java.util.Optional<Lease> current() { return java.util.Optional.empty(); }
				void checkHeld();
				void extend(java.time.Duration ttl, java.time.Duration keepFor);
			}
			""", """
			package io.distributedlock;
			public interface LeaseLock extends java.util.concurrent.locks.Lock {
				String key();
				void lock();
				void lock(java.time.Duration ttl);
				boolean tryLock();
				boolean tryLock(java.time.Duration wait) throws InterruptedException;
				boolean tryLock(java.time.Duration wait, java.time.Duration ttl) throws InterruptedException;
				boolean isHeldByCurrentThread();
			}
			""", """
			package io.distributedlock;
			public interface LeaseReadWriteLock extends java.util.concurrent.locks.ReadWriteLock {
				LeaseLock readLock();
				LeaseLock writeLock();
			}
			""", """
			package io.distributedlock;
			public interface LockRegistry {
				LeaseLock getLock(String key);
				LeaseLock getLock(String name, String key);
				LeaseReadWriteLock getReadWriteLock(String key);
			}
			""" };

	private Target() {
	}

	/** Return a parser of templates. */
	static JavaParser.Builder<?, ?> parser() {
		return JavaParser.fromJavaVersion().dependsOn(SOURCES);
	}

}

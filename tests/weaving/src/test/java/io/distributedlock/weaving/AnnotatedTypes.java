package io.distributedlock.weaving;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import io.distributedlock.Lease;
import io.distributedlock.annotation.DistributedLock;

import org.springframework.beans.factory.InitializingBean;

/** The places in which an annotation can be. */
final class AnnotatedTypes {

	private AnnotatedTypes() {
	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("'composed'")
	@interface Composed {

	}

	@Retention(RetentionPolicy.RUNTIME)
	@Composed
	@interface ComposedTwice {

	}

	@DistributedLock("'interface'")
	interface AnnotatedInterface {

		boolean isLocked();

	}

	interface WithAnnotatedMethod {

		@DistributedLock("'method'")
		boolean isLocked();

	}

	static class ByComposed {

		@Composed
		boolean isLocked() {
			return Lease.current().isPresent();
		}

	}

	static class ByComposedTwice {

		@ComposedTwice
		boolean isLocked() {
			return Lease.current().isPresent();
		}

	}

	@DistributedLock("'class'")
	static class ByClass {

		public boolean isLocked() {
			return Lease.current().isPresent();
		}

		boolean isLockedPackagePrivate() {
			return Lease.current().isPresent();
		}

	}

	static class BySuperclass extends ByClass {

		public boolean isLockedBelow() {
			return Lease.current().isPresent();
		}

	}

	static class ByInterface implements AnnotatedInterface {

		@Override
		public boolean isLocked() {
			return Lease.current().isPresent();
		}

		public boolean isOutsideTheInterface() {
			return Lease.current().isEmpty();
		}

	}

	static class ByCallback implements InitializingBean {

		private boolean locked;

		@Override
		@DistributedLock("'callback'")
		public void afterPropertiesSet() {
			this.locked = Lease.current().isPresent();
		}

		boolean wasLocked() {
			return this.locked;
		}

	}

	/** Weaving does not reach it. */
	static class ByInterfaceMethod implements WithAnnotatedMethod {

		@Override
		public boolean isLocked() {
			return Lease.current().isPresent();
		}

	}

	/** Weaving does not reach it. */
	static class ByOverriddenMethod extends ByComposed {

		@Override
		boolean isLocked() {
			return Lease.current().isPresent();
		}

	}

	static class ByStaticMethod {

		@DistributedLock
		static void guarded() {
		}

	}

}

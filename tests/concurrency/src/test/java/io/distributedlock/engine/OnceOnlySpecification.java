package io.distributedlock.engine;

/** What the locks of threads are not: entered once only, also by who holds them. */
public class OnceOnlySpecification extends HeldLeaseSpecification {

	@Override
	public boolean tryLock(int thread) {
		return !isHeldByCurrentThread(thread) && super.tryLock(thread);
	}

}

package io.distributedlock.engine;

/** A lock that even its holder cannot enter again, unlike the locks of threads. */
public class OnceOnlySpecification extends HeldLeaseSpecification {

	@Override
	public boolean tryLock(int thread) {
		return !isHeldByCurrentThread(thread) && super.tryLock(thread);
	}

}

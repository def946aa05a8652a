package io.distributedlock.engine;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * The locks of threads: the leases that a thread holds are in a map of its own, by key.
 * All share one registry, whose store grants every request; each test has a key of its
 * own.
 */
public class HeldLeaseOperations {

	private static final DefaultLockRegistry REGISTRY = new DefaultLockRegistry(new PermissiveStore());

	private static final AtomicInteger KEYS = new AtomicInteger();

	private final LeaseLock lock = REGISTRY.getLock("k" + KEYS.incrementAndGet());

	private final Queue<Lease> leases = new ConcurrentLinkedQueue<>();

	@Operation
	public boolean tryLock(@Param(gen = ThreadIdGen.class) int thread) {
		boolean locked = this.lock.tryLock();
		if (locked) {
			this.leases.add(this.lock.lease());
		}
		return locked;
	}

	@Operation
	public boolean unlock(@Param(gen = ThreadIdGen.class) int thread) {
		try {
			this.lock.unlock();
			return true;
		}
		catch (IllegalMonitorStateException ex) {
			return false;
		}
	}

	@Operation
	public boolean isHeldByCurrentThread(@Param(gen = ThreadIdGen.class) int thread) {
		return isHeldByCurrentThread(this.lock);
	}

	boolean isHeldByCurrentThread(LeaseLock asked) {
		return asked.isHeldByCurrentThread();
	}

	@Validate
	public void leaveNothingBehind() {
		this.leases.forEach(Lease::close);
		if (REGISTRY.engine().queues.index.size() + REGISTRY.engine().instance.heldCount() > 0) {
			throw new IllegalStateException("%d queues, %d held".formatted(REGISTRY.engine().queues.index.size(),
					REGISTRY.engine().instance.heldCount()));
		}
	}

}

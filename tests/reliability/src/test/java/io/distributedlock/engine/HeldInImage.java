package io.distributedlock.engine;

import java.time.Duration;
import java.util.Comparator;

import io.distributedlock.engine.internal.lease.Grant;
import io.distributedlock.engine.internal.lease.RenewalHistory;
import io.distributedlock.engine.internal.line.KeyQueue;
import io.distributedlock.store.RenewalMarks;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

import org.springframework.test.util.ReflectionTestUtils;

/**
 * A lock that an instance holds when the image of its process is made: by which request,
 * and how it was renewed.
 *
 * @param key the lock
 * @param ttl its lease
 * @param token its token
 * @param number the number of the request, whose place is that of single locks
 * @param random the random bits of the request
 * @param marks the marks of its renewals
 */
public record HeldInImage(String key, Duration ttl, long token, long number, long random, String marks) {

	private static final long RANDOM_BITS = 0xFFF;

	/**
	 * The exclusive lock that is held longest and renewed.
	 * @param registry the locks of the process
	 * @return the lock, or {@code null} if there is none
	 */
	public static @Nullable HeldInImage longest(DefaultLockRegistry registry) {
		Engine engine = registry.engine();
		long now = engine.instance.now();
		return engine.queues.index.all()
			.stream()
			.filter(KeyQueue::isPlain)
			.flatMap((queue) -> queue.allHeld().stream())
			.filter((grant) -> grant.isConfirmed(now) && grant.wantsRenewal(now))
			.max(Comparator.comparing((grant) -> grant.heldFor(now)))
			.map(HeldInImage::of)
			.orElse(null);
	}

	/**
	 * Know how it was renewed, too.
	 * @param registry the locks of the process that has got it by the same request
	 */
	public void adopt(DefaultLockRegistry registry) {
		RenewalHistory known = new RenewalHistory(new RenewalMarks(this.marks), 0, 0, 0, null, false, 0, 0, 0, false);
		registry.engine().queues.index.all()
			.stream()
			.flatMap((queue) -> queue.allHeld().stream())
			.filter((grant) -> grant.token() == this.token)
			.forEach((grant) -> ReflectionTestUtils.setField(grant, "renewals", known));
	}

	private static HeldInImage of(Grant grant) {
		RequestId request = grant.request();
		return new HeldInImage(grant.keys().get(0).key(), Duration.ofNanos(grant.ttlNanos()), grant.token(),
				request.number(), request.sequenceBits() & RANDOM_BITS, grant.marks().text());
	}

}

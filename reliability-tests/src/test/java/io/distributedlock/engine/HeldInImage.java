package io.distributedlock.engine;

import java.time.Duration;
import java.util.Comparator;
import java.util.stream.LongStream;

import io.distributedlock.LockMode;
import io.distributedlock.store.RenewalMarks;
import org.jspecify.annotations.Nullable;

import org.springframework.test.util.ReflectionTestUtils;

/**
 * A lock that an instance holds when the image of its process is made: from which state
 * of the sequence another process makes the same request, and how it was renewed.
 *
 * @param key the lock
 * @param ttl its lease
 * @param token its token
 * @param state the state of the sequence before the request
 * @param marks the marks of its renewals
 */
public record HeldInImage(String key, Duration ttl, long token, long state, String marks) {

	/** The constant by which the sequence grows. */
	private static final long GAMMA = 0x9E3779B97F4A7C15L;

	private static final int MOST_REQUESTS_SINCE = 100_000;

	/**
	 * The exclusive lock that is held longest and renewed.
	 * @param registry the locks of the process
	 * @param state the state of the sequence now
	 * @return the lock, or {@code null} if there is none
	 */
	public static @Nullable HeldInImage longest(DefaultLockRegistry registry, long state) {
		Engine engine = registry.engine();
		long now = engine.now();
		return engine.queues()
			.all()
			.stream()
			.filter((queue) -> queue.mode() == LockMode.EXCLUSIVE && queue.keys().isSingle())
			.flatMap((queue) -> queue.allHeld().stream())
			.filter((grant) -> grant.isConfirmed(now) && grant.wantsRenewal(now))
			.max(Comparator.comparing((grant) -> grant.heldFor(now)))
			.map((grant) -> of(grant, state))
			.orElse(null);
	}

	/**
	 * Know how it was renewed, too.
	 * @param registry the locks of the process that has got it by the same request
	 */
	public void adopt(DefaultLockRegistry registry) {
		Grant.Marked known = new Grant.Marked(new RenewalMarks(this.marks), 0, 0, 0, null);
		registry.engine()
			.queues()
			.all()
			.stream()
			.flatMap((queue) -> queue.allHeld().stream())
			.filter((grant) -> grant.token() == this.token)
			.forEach((grant) -> ReflectionTestUtils.setField(grant, "marked", known));
	}

	private static @Nullable HeldInImage of(Grant grant, long state) {
		long drawn = grant.request().sequenceBits();
		return LongStream.rangeClosed(1, MOST_REQUESTS_SINCE)
			.map((requests) -> state - requests * GAMMA)
			.filter((before) -> new RequestIds(0, () -> before).next().sequenceBits() == drawn)
			.mapToObj((before) -> new HeldInImage(grant.queue.keys().list().get(0).key(),
					Duration.ofNanos(grant.ttlNanos()), grant.token(), before, grant.marks().text()))
			.findFirst()
			.orElse(null);
	}

}

package io.distributedlock.chaos;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.HeldInImage;
import org.jspecify.annotations.Nullable;

import org.springframework.test.util.ReflectionTestUtils;

/**
 * What a process has in common with others that are restored from the same image: the
 * identity of its registry, what the next requests will be called, and a lock that it
 * holds at that moment.
 */
public final class ProcessImage {

	private static final String INSTANCE = "instance";

	private static final int PARTS_WITHOUT_A_LOCK = 2;

	private final DefaultLockRegistry registry;

	private final Object requestIds;

	/**
	 * Look into a process.
	 * @param registry its locks
	 */
	public ProcessImage(DefaultLockRegistry registry) {
		this.registry = registry;
		this.requestIds = field(field(registry, "engine"), "requestIds");
	}

	/**
	 * Make an image.
	 * @return the image as a text of one line
	 */
	public String take() {
		long state = state().get();
		HeldInImage held = HeldInImage.longest(this.registry, state);
		String lock = (held == null) ? "" : " %s %d %d %d %s".formatted(held.key(), held.ttl().toMillis(), held.token(),
				held.state(), held.marks());
		return field(this.requestIds, INSTANCE) + " " + state + lock;
	}

	/** The lock that was held when an image was made, or {@code null}. */
	static @Nullable String heldKey(String image) {
		String[] parts = image.split(" ", -1);
		return (parts.length == PARTS_WITHOUT_A_LOCK) ? null : parts[PARTS_WITHOUT_A_LOCK];
	}

	/**
	 * Be what another process was, which goes on.
	 * @param image the image of that process
	 * @return what that process holds, held by this one by the same request; {@code null}
	 * if it held nothing, or holds it no more
	 */
	public @Nullable Lease restore(String image) {
		String[] parts = image.split(" ", -1);
		ReflectionTestUtils.setField(this.requestIds, INSTANCE, Long.parseLong(parts[0]));
		Lease held = (parts.length == PARTS_WITHOUT_A_LOCK) ? null
				: hold(new HeldInImage(parts[2], Duration.ofMillis(Long.parseLong(parts[3])), Long.parseLong(parts[4]),
						Long.parseLong(parts[5]), parts[6]));
		state().set(Long.parseLong(parts[1]));
		return held;
	}

	private @Nullable Lease hold(HeldInImage held) {
		state().set(held.state());
		try {
			Lease lease = this.registry.acquire(LockRequest.of(held.key()).ttl(held.ttl()).waitFor(Duration.ZERO));
			if (lease.fencingToken() == held.token()) {
				held.adopt(this.registry);
				return lease;
			}
			// It was given back meanwhile, and this is another acquisition.
			lease.close();
		}
		catch (LockException ex) {
			// As well, and others have it by now.
		}
		return null;
	}

	private AtomicLong state() {
		return (AtomicLong) field(this.requestIds, "state");
	}

	private static Object field(Object owner, String name) {
		return Objects.requireNonNull(ReflectionTestUtils.getField(owner, name));
	}

}

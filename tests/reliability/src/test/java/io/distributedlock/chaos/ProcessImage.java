package io.distributedlock.chaos;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.distributedlock.Lease;
import io.distributedlock.LockException;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.DefaultLockRegistry;
import io.distributedlock.engine.HeldInImage;
import org.jspecify.annotations.Nullable;

import org.springframework.test.util.ReflectionTestUtils;

/**
 * The state that a process has in common with others that are restored from the same
 * image: the identity of its registry, the ids of the next requests, and a lock that it
 * holds at that moment.
 */
public final class ProcessImage {

	private static final String INSTANCE = "instance";

	private static final String NOISE = "noise";

	private static final int PARTS_WITHOUT_A_LOCK = 2;

	private final DefaultLockRegistry registry;

	/** Knows the identity of the registry, which changes with every jump. */
	private final Object instance;

	/**
	 * Look into a process.
	 * @param registry its locks
	 */
	public ProcessImage(DefaultLockRegistry registry) {
		this.registry = registry;
		this.instance = field(field(registry, "engine"), "instance");
	}

	/**
	 * Make an image.
	 * @return the image as a text of one line
	 */
	public String take() {
		HeldInImage held = HeldInImage.longest(this.registry);
		String lock = (held == null) ? "" : " %s %d %d %d %d %s".formatted(held.key(), held.ttl().toMillis(),
				held.token(), held.number(), held.random(), held.marks());
		return field(requestIds(), INSTANCE) + " " + numbers() + lock;
	}

	/** The lock that was held when an image was made, or {@code null}. */
	static @Nullable String heldKey(String image) {
		String[] parts = image.split(" ", -1);
		return (parts.length == PARTS_WITHOUT_A_LOCK) ? null : parts[PARTS_WITHOUT_A_LOCK];
	}

	/**
	 * Take the state of another process, which goes on.
	 * @param image the image of that process
	 * @return the lock of that process, held by this one by the same request;
	 * {@code null} if it held none, or holds it no more
	 */
	public @Nullable Lease restore(String image) {
		String[] parts = image.split(" ", -1);
		ReflectionTestUtils.setField(requestIds(), INSTANCE, Long.parseLong(parts[0]));
		Lease held = (parts.length == PARTS_WITHOUT_A_LOCK) ? null
				: hold(new HeldInImage(parts[2], Duration.ofMillis(Long.parseLong(parts[3])), Long.parseLong(parts[4]),
						Long.parseLong(parts[5]), Long.parseLong(parts[6]), parts[7]));
		numbers().set(Long.parseLong(parts[1]));
		return held;
	}

	/**
	 * Let the next requests have known random bits, as those have that were made before
	 * an image.
	 * @param random the bits
	 */
	public void draw(long random) {
		LongSupplier known = () -> random;
		ReflectionTestUtils.setField(requestIds(), NOISE, known);
	}

	private @Nullable Lease hold(HeldInImage held) {
		Object noise = field(requestIds(), NOISE);
		draw(held.random());
		numbers().set(held.number() - 1);
		try {
			Lease lease = this.registry.acquire(LockRequest.of(held.key()).ttl(held.ttl()).waitFor(Duration.ZERO));
			if (lease.fencingToken() == held.token()) {
				held.adopt(this.registry);
				return lease;
			}
			// The lock was released meanwhile, and this is another acquisition.
			lease.close();
		}
		catch (LockException ex) {
			// As well, and others have it by now.
		}
		finally {
			ReflectionTestUtils.setField(requestIds(), NOISE, noise);
		}
		return null;
	}

	private AtomicLong numbers() {
		return (AtomicLong) field(requestIds(), "numbers");
	}

	private Object requestIds() {
		return field(this.instance, "requestIds");
	}

	private static Object field(Object owner, String name) {
		return Objects.requireNonNull(ReflectionTestUtils.getField(owner, name));
	}

}

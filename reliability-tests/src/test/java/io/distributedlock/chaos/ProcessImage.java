package io.distributedlock.chaos;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

import io.distributedlock.engine.DefaultLockRegistry;

import org.springframework.test.util.ReflectionTestUtils;

/**
 * What a process has in common with others that are restored from the same image: the
 * identity of its registry, and what the next requests will be called. What it holds at
 * that moment is not part of this.
 */
public final class ProcessImage {

	private static final String INSTANCE = "instance";

	private final Object requestIds;

	/**
	 * Look into a process.
	 * @param registry its locks
	 */
	public ProcessImage(DefaultLockRegistry registry) {
		this.requestIds = field(field(registry, "engine"), "requestIds");
	}

	/**
	 * Make an image.
	 * @return the image as a text of one line
	 */
	public String take() {
		return field(this.requestIds, INSTANCE) + " " + state();
	}

	/**
	 * Be what another process was, which goes on.
	 * @param image the image of that process
	 */
	public void restore(String image) {
		String[] parts = image.split(" ");
		ReflectionTestUtils.setField(this.requestIds, INSTANCE, Long.parseLong(parts[0]));
		state().set(Long.parseLong(parts[1]));
	}

	private AtomicLong state() {
		return (AtomicLong) field(this.requestIds, "state");
	}

	private static Object field(Object owner, String name) {
		return Objects.requireNonNull(ReflectionTestUtils.getField(owner, name));
	}

}

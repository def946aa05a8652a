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
final class ProcessImage {

	private static final String INSTANCE = "instance";

	/** What knows the identity of the registry, which changes with every jump. */
	private final Object doubt;

	ProcessImage(DefaultLockRegistry registry) {
		this.doubt = field(field(registry, "engine"), "doubt");
	}

	/** As a text of one line. */
	String take() {
		return field(requestIds(), INSTANCE) + " " + state();
	}

	/** Be what another process was, which goes on. */
	void restore(String image) {
		String[] parts = image.split(" ");
		ReflectionTestUtils.setField(requestIds(), INSTANCE, Long.parseLong(parts[0]));
		state().set(Long.parseLong(parts[1]));
	}

	private AtomicLong state() {
		return (AtomicLong) field(requestIds(), "state");
	}

	private Object requestIds() {
		return field(this.doubt, "requestIds");
	}

	private static Object field(Object owner, String name) {
		return Objects.requireNonNull(ReflectionTestUtils.getField(owner, name));
	}

}

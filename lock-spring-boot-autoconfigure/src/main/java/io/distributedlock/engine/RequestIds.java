package io.distributedlock.engine;

import java.security.SecureRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.distributedlock.store.RequestId;

/**
 * Makes request ids: 64 random bits of this instance, and 64 bits that are unique in it
 * and look random, without asking the system for entropy each time.
 */
final class RequestIds {

	/**
	 * The odd constant of Steele, Lea and Flood, "Fast Splittable Pseudorandom Number
	 * Generators".
	 */
	private static final long GAMMA = 0x9E3779B97F4A7C15L;

	private final long instance;

	private final AtomicLong state;

	private final LongSupplier seeds;

	RequestIds() {
		this(new SecureRandom());
	}

	private RequestIds(SecureRandom random) {
		this(random.nextLong(), () -> freshSeed(random));
	}

	RequestIds(long instance, LongSupplier seeds) {
		this.instance = instance;
		this.seeds = seeds;
		this.state = new AtomicLong(seeds.getAsLong());
	}

	/** The clocks, too, because the system's entropy may have been part of an image. */
	private static long freshSeed(SecureRandom random) {
		return random.nextLong() ^ mix(System.nanoTime() ^ mix(WallClock.system().millis()));
	}

	/**
	 * From here on no other process makes the same requests, though it may have been
	 * restored from the same image.
	 */
	void reseed() {
		this.state.set(this.seeds.getAsLong());
	}

	/**
	 * A random number that another process does not draw, though it was restored from the
	 * same image at the same time.
	 */
	int mark() {
		return (int) mix(this.seeds.getAsLong());
	}

	String instance() {
		return new RequestId(this.instance, 0).instance();
	}

	/** A request of this instance again. */
	RequestId of(long sequenceBits) {
		return new RequestId(this.instance, sequenceBits);
	}

	RequestId next() {
		return new RequestId(this.instance, mix(this.state.addAndGet(GAMMA)));
	}

	/**
	 * A bijection, so different states have different results (variant 13 of Stafford).
	 */
	private static long mix(long z) {
		z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
		z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
		return z ^ (z >>> 31);
	}

}

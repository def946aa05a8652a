package io.distributedlock.engine.internal.instance;

import java.security.SecureRandom;
import java.util.Arrays;
import java.util.BitSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.distributedlock.LockStoreException;
import io.distributedlock.engine.internal.time.WallClock;
import io.distributedlock.store.RequestId;

/**
 * Numbers the requests of this instance upwards. Requests that may be under way for one
 * lock at the same time have different places. Thread-safe.
 */
public final class RequestIds {

	/**
	 * The last number: a million requests a second for 19 hours. Then the numbers begin
	 * at zero again. The first request that the store refuses for that gives the instance
	 * another identity.
	 */
	private static final long LAST_NUMBER = (1L << 36) - 1;

	private static final int FEW = 16;

	private static final int MOST_AVOIDED = 256;

	/** A number that no request has. */
	private static final long NONE = -1;

	private final long instance;

	private final LongSupplier seeds;

	private final LongSupplier noise;

	private final AtomicLong numbers = new AtomicLong();

	/**
	 * The places that are taken; guarded by itself. All requests for single exclusive
	 * locks have the first one.
	 */
	private final BitSet places = new BitSet();

	/** The number of the request that has a place, by place; guarded by the places. */
	private long[] takers = new long[FEW];

	/** Number of places that no request gets any more; guarded by the places. */
	private int avoided;

	public RequestIds() {
		this(new SecureRandom());
	}

	private RequestIds(SecureRandom random) {
		this(random.nextLong(), () -> freshSeed(random), () -> mix(System.nanoTime()));
	}

	/**
	 * Create the ids of an instance.
	 * @param instance the instance
	 * @param seeds random numbers that no other process draws
	 * @param noise cheap numbers that two processes restored from one image hardly share
	 */
	public RequestIds(long instance, LongSupplier seeds, LongSupplier noise) {
		this.instance = instance;
		this.seeds = seeds;
		this.noise = noise;
		this.places.set(0);
	}

	/**
	 * Return a random number mixed with the clocks, since the system's entropy may have
	 * been part of an image.
	 */
	private static long freshSeed(SecureRandom random) {
		return random.nextLong() ^ mix(System.nanoTime() ^ mix(WallClock.system().millis()));
	}

	/**
	 * Return another identity, which no other process has, though it may have been
	 * restored from the same image.
	 */
	RequestIds another() {
		return new RequestIds(this.seeds.getAsLong(), this.seeds, this.noise);
	}

	/**
	 * Return a random number that another process does not draw, though it was restored
	 * from the same image at the same time.
	 */
	public int mark() {
		return (int) mix(this.seeds.getAsLong());
	}

	public String instance() {
		return new RequestId(this.instance, 0).instance();
	}

	/** Return an earlier request of this instance. */
	public RequestId of(long sequenceBits) {
		return new RequestId(this.instance, sequenceBits);
	}

	/** Return a request that comes after all others of this instance for its lock. */
	public RequestId next() {
		return at(0, nextNumber());
	}

	/**
	 * Return a request beside others for the same lock. Its place is free again when it
	 * has {@linkplain #ended ended}.
	 * @throws LockStoreException if all places are taken
	 */
	public RequestId nextBeside() {
		synchronized (this.places) {
			int place = this.places.nextClearBit(0);
			if (place > RequestId.LAST_PLACE) {
				throw noPlace();
			}
			this.places.set(place);
			if (place >= this.takers.length) {
				this.takers = Arrays.copyOf(this.takers, 2 * place);
			}
			return take(place);
		}
	}

	private static LockStoreException noPlace() {
		return new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
				("%d requests of this instance for shared or fair locks, permits or sets of locks are held or under way, "
						+ "or have failed and may hold a lock until its ttl is over. There cannot be more: "
						+ "limit what runs at a time, and see that the store answers")
					.formatted(RequestId.LAST_PLACE),
				null);
	}

	/**
	 * Return a request that takes over the place of the last one. The last one must not
	 * free that place any more.
	 */
	public RequestId after(RequestId last) {
		synchronized (this.places) {
			return take(last.place());
		}
	}

	/** Draw the number while the place is taken, so that the numbers of a place grow. */
	private RequestId take(int place) {
		long number = nextNumber();
		this.takers[place] = number;
		return at(place, number);
	}

	/**
	 * Free the place of a request that has ended. May be called again, and for any
	 * request.
	 */
	public void ended(RequestId request) {
		int place = request.place();
		if (place != 0) {
			synchronized (this.places) {
				if (this.takers[place] == request.number()) {
					this.places.clear(place);
				}
			}
		}
	}

	/**
	 * Avoid the place of a request that has lost a shared lock within its lease. Another
	 * process of the same image may hold the lock by the same request, as long as it
	 * renews it. After a number of losses the cause is another one, and places are given
	 * again.
	 */
	public void lost(RequestId request) {
		int place = request.place();
		synchronized (this.places) {
			if (place != 0 && this.takers[place] == request.number() && this.avoided < MOST_AVOIDED) {
				this.avoided++;
				this.places.set(place);
				this.takers[place] = NONE;
			}
		}
	}

	/**
	 * Return the number of places that are taken, without the first one and avoided ones.
	 */
	public int taken() {
		synchronized (this.places) {
			return this.places.cardinality() - 1 - this.avoided;
		}
	}

	private long nextNumber() {
		return this.numbers.incrementAndGet() & LAST_NUMBER;
	}

	private RequestId at(int place, long number) {
		return RequestId.of(this.instance, place, number, this.noise.getAsLong());
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

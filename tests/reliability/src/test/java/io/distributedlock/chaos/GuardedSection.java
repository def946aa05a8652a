package io.distributedlock.chaos;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import io.distributedlock.Lease;
import io.distributedlock.LockLostException;
import io.distributedlock.LossReason;
import io.distributedlock.history.Attempt;
import io.distributedlock.history.Event.Mode;
import io.distributedlock.history.Hold;
import io.distributedlock.history.Recorder;
import io.distributedlock.history.WitnessClient;
import io.distributedlock.history.WitnessReply;

/**
 * The work of a worker while it holds a lock: it counts in the witness' registers, and
 * only while it believes to hold the lock. Used by one thread.
 */
final class GuardedSection {

	private final WitnessClient witness;

	private final Random random;

	private final Acknowledgements acknowledgements;

	GuardedSection(WitnessClient witness, Random random, Acknowledgements acknowledgements) {
		this.witness = witness;
		this.random = random;
		this.acknowledgements = acknowledgements;
	}

	/** Do it with one lock, or with several that one lease is of. */
	void run(Lease lease, List<Hold> holds, Mode mode, Length length) throws IOException {
		try {
			for (Hold hold : holds) {
				if (mode.isExclusive()) {
					count(hold.key(), lease, hold, length);
				}
				else {
					look(lease, hold, mode);
				}
			}
		}
		finally {
			release(lease, holds, Hold::released);
		}
	}

	/** The lock stays taken after its release. */
	void runKept(Lease lease, List<Hold> holds, long until) throws IOException {
		try {
			count(holds.get(0).key(), lease, holds.get(0), Length.SHORT);
		}
		finally {
			release(lease, holds, (released) -> released.releasedButKept(until));
		}
	}

	/**
	 * Go on with a lock that was held when the image of this process was made. It is held
	 * from when the store has confirmed it. Another process may write under the same
	 * token for a while, so this one writes nothing.
	 */
	void watchClone(Lease lease, Recorder recorder) {
		Attempt attempt = recorder.acquire(lease.keys().get(0), Mode.X, 1);
		try {
			lease.checkHeld();
		}
		catch (LockLostException ex) {
			attempt.info("not confirmed");
			release(lease, List.of(), Hold::released);
			return;
		}
		Hold hold = attempt.cloned(lease.fencingToken(), Recorder.validUntil(lease));
		lease.onLost(() -> hold.lost(lease));
		long end = System.nanoTime() + ChaosSettings.LONGEST_TTL.toNanos();
		for (long validUntil = Recorder.validUntil(lease); lease.isHeld()
				&& System.nanoTime() < end; validUntil = Recorder.validUntil(lease)) {
			hold.renewed(validUntil);
			LockSupport.parkNanos(30_000_000);
		}
		release(lease, List.of(hold), Hold::released);
	}

	/**
	 * Readers and holders of permits write nothing; the token of a reader shows when it
	 * was admitted.
	 */
	private void look(Lease lease, Hold hold, Mode mode) throws IOException {
		if (!lease.isHeld()) {
			return;
		}
		hold.enter();
		if (mode == Mode.R) {
			this.witness.enter(hold.key(), hold);
		}
		LockSupport.parkNanos(this.random.nextInt(5_000_000));
		hold.exit();
	}

	private void count(String key, Lease lease, Hold hold, Length length) throws IOException {
		if (!lease.isHeld()) {
			return;
		}
		hold.enter();
		long value = this.witness.enter(key, hold).value();
		if (length == Length.LONG) {
			long end = System.nanoTime() + (long) (this.random.nextDouble() * 2 * ChaosSettings.LONGEST_TTL.toNanos());
			while (System.nanoTime() < end && increment(key, lease, hold, value)) {
				value++;
				LockSupport.parkNanos(30_000_000);
			}
		}
		else if (increment(key, lease, hold, value) && this.random.nextInt(8) == 0) {
			incrementUnfenced(key, lease, hold);
		}
		this.witness.exit(key, hold);
		hold.exit();
	}

	private boolean increment(String key, Lease lease, Hold hold, long value) throws IOException {
		long validUntil = Recorder.validUntil(lease);
		if (!lease.isHeld()) {
			return false;
		}
		hold.renewed(validUntil);
		hold.writing(value, value + 1);
		WitnessReply reply = this.witness.write(key, hold, value, value + 1);
		hold.written(value, value + 1, reply.accepted());
		return reply.accepted();
	}

	private void incrementUnfenced(String key, Lease lease, Hold hold) throws IOException {
		if (lease.isHeld()) {
			long value = this.witness.readUnfenced(key);
			this.witness.writeUnfenced(key, hold, value, value + 1);
		}
	}

	/**
	 * The store may have been asked for one renewal more than was recorded, which counts
	 * where the release does not.
	 */
	private void release(Lease lease, List<Hold> holds, Consumer<Hold> released) {
		List<Hold> reversed = new ArrayList<>(holds);
		Collections.reverse(reversed);
		reversed.forEach(Hold::renewing);
		reversed.forEach(Hold::releasing);
		try {
			boolean acknowledged = this.acknowledgements.all(lease::close);
			reversed.forEach(acknowledged ? released : (hold) -> hold.releaseUnknown("not acknowledged"));
		}
		catch (LockLostException ex) {
			reversed.forEach(
					isGone(ex, holds) ? (hold) -> hold.notReleased("lost") : (hold) -> hold.releaseUnknown("lost"));
		}
	}

	/**
	 * A holder whose lease has expired does not know how long the store keeps the lock.
	 */
	private static boolean isGone(LockLostException loss, List<Hold> holds) {
		return holds.size() == 1 && loss.getReason() == LossReason.NOT_OWNER;
	}

	/** How long a worker holds a lock. */
	enum Length {

		/** No longer than the witness takes. */
		SHORT,

		/** Up to twice the longest lease. */
		LONG

	}

}

package io.distributedlock.state;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeSet;

import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * The registers of all contenders of a lock besides the owner, and the readers or permits
 * among them. A later request replaces the register of its contender, so the number of
 * registers does not grow with the ended requests. Not thread-safe.
 */
final class Registers {

	/** In the order in which the leases end. */
	private static final Comparator<Register> BY_END = Comparator
		.comparingLong((Register register) -> register.lifetime().deadline())
		.thenComparing(Register::request, Entry.BY_ID);

	private final Map<Contender, Register> all = new HashMap<>(0);

	/** The readers, or the requests with a permit. */
	final TreeSet<Register> holders = new TreeSet<>(BY_END);

	/** The number of readers, or of permits that are taken. */
	int taken;

	private final long retention;

	/** Time of the next sweep, which removes registers whose retention is over. */
	long sweepAt;

	/** The time of the present command. */
	private long now;

	Registers(long retention) {
		this.retention = retention;
	}

	Collection<Register> all() {
		return this.all.values();
	}

	/** Return the register of a contender, unless its retention is over. */
	@Nullable Register of(RequestId request) {
		Register last = this.all.get(Contender.of(request));
		return (last != null && isOver(last)) ? null : last;
	}

	private boolean isOver(Register register) {
		return !register.isHeld() && register.lifetime().deadline() + this.retention < this.now;
	}

	/** Set the register of a contender. */
	void put(Register register) {
		remove(register.request());
		this.all.put(Contender.of(register.request()), register);
		if (register.isHeld() && this.holders.add(register)) {
			this.taken += register.permits();
		}
	}

	/** Return the register, or that of a later request of its contender. */
	Register last(Register register) {
		Register last = of(register.request());
		return (last != null && last.isAfter(register.request())) ? last : register;
	}

	/** Remove the register of the contender of a request. */
	void remove(RequestId request) {
		Register removed = this.all.remove(Contender.of(request));
		if (removed != null && this.holders.remove(removed)) {
			this.taken -= removed.permits();
		}
	}

	/**
	 * End the holders whose lease ran out, and sweep the registers from time to time.
	 */
	void prune(long now, long latest) {
		this.now = now;
		while (!this.holders.isEmpty() && !this.holders.first().lasts(now)) {
			put(this.holders.first().expired());
		}
		while (!this.holders.isEmpty() && this.holders.last().at(latest) != this.holders.last()) {
			put(this.holders.last().at(latest));
		}
		if (this.sweepAt <= now || this.sweepAt > now + this.retention) {
			this.sweepAt = now + this.retention;
			this.all.values().removeIf(this::isOver);
		}
	}

	/**
	 * An instance and one of its places: it has one request for a lock at a time, and
	 * each has a larger number than those before.
	 *
	 * @param instanceBits the instance
	 * @param place the place of the {@link RequestId}
	 */
	private record Contender(long instanceBits, int place) {

		private static Contender of(RequestId request) {
			return new Contender(request.instanceBits(), request.place());
		}

	}

}

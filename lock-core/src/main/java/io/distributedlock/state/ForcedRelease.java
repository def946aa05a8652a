package io.distributedlock.state;

import java.util.List;

import io.distributedlock.state.Register.Status;
import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/** Takes one lock away from its holders. */
final class ForcedRelease {

	private final LockState lock;

	private final LockRules rules;

	private final long now;

	ForcedRelease(LockChange change, long now) {
		this.lock = change.lock;
		this.rules = change.rules;
		this.now = now;
	}

	/**
	 * Take the lock away, and pass it on.
	 * @return the number of requests that lost it, or 1 if the lock was only kept
	 */
	int run(ForceReleaseCommand command) {
		RequestId only = command.request();
		boolean unnoticed = this.lock.isUnnoticed();
		Register owner = this.lock.owner;
		boolean owned = owner != null && this.lock.isClosed(this.now) && isMeant(owner, only);
		List<Register> holders = this.lock.registers.holders.stream().filter((held) -> isMeant(held, only)).toList();
		boolean kept = (owned || only == null) && this.lock.kept.lasts(this.now);
		int ended = holders.size() + (owned ? 1 : 0);
		if (only != null && command.refusesLater() && this.lock.isNew(only, this.now)) {
			this.lock.registers.put(Register.ended(only, Status.REVOKED, this.now));
			this.lock.live(this.now, true);
		}
		if (ended == 0 && !kept) {
			return 0;
		}
		if (owned && owner != null) {
			end(owner);
		}
		holders.forEach(this::end);
		if (owned || kept) {
			this.lock.kept = Lifetime.NONE;
		}
		this.lock.live(this.now, true);
		int freed = holders.stream().mapToInt(Register::permits).sum();
		for (int i = 0; i < ((this.lock.permits > 0) ? freed : 1) && this.lock.isFree(this.now); i++) {
			this.rules.passOn(owned && unnoticed, 0);
		}
		return Math.max(ended, 1);
	}

	private static boolean isMeant(Register held, @Nullable RequestId only) {
		return only == null || held.isOf(only);
	}

	private void end(Register held) {
		this.lock.write(Register.ended(held.request(), Status.REVOKED, this.now));
		this.rules.revoke(held.request());
	}

}

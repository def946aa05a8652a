package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;

import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.Approach;
import io.distributedlock.store.RaiseCommand;
import io.distributedlock.store.RenewCommand;
import org.jspecify.annotations.Nullable;

/**
 * Has nodes that were away, or have forgotten, take a lock again that enough others have.
 */
final class Retaking {

	private final QuorumState quorum;

	Retaking(QuorumState quorum) {
		this.quorum = quorum;
	}

	void retake(int index, RenewCommand lease) {
		Held held = this.quorum.held().get(lease.request());
		if (held == null || held.isUnanswered(index) || isOver(held)) {
			return;
		}
		held.asked(index);
		Member member = this.quorum.members().get(index);
		AcquireCommand command = command(held, lease);
		member.ask((node) -> node.acquire(command)).whenComplete((outcome, ex) -> {
			if (ex != null) {
				held.failed(index);
			}
			else if (outcome instanceof Granted) {
				held.applied(index);
			}
			held.answered(index);
			taken(member, held, command, outcome);
		});
	}

	/** What a node says late may be about a lease that has run out everywhere. */
	private boolean isOver(Held held) {
		return held.validUntil() - this.quorum.timer().nanos() <= 0;
	}

	private AcquireCommand command(Held held, RenewCommand lease) {
		AcquireCommand first = held.command;
		long kept = first.keepFor().isZero() ? 0 : Math.max(0, held.keptUntil - this.quorum.timer().nanos());
		return new AcquireCommand(List.of(lease.key()), lease.request(), first.kind(),
				new AcquireCommand.Times(lease.ttl(), Duration.ofNanos(kept), Duration.ZERO), held.token - 1,
				Approach.CLAIM_AGAIN);
	}

	private void taken(Member member, Held held, AcquireCommand command, @Nullable AcquireOutcome outcome) {
		if (!(outcome instanceof Granted granted)) {
			return;
		}
		if (this.quorum.held().get(command.request()) != held) {
			// Ended in the meantime, and the node may have heard of the end first.
			member.ask((node) -> node.abandon(new AbandonCommand(command.keys(), command.request())));
		}
		else if (granted.token() < held.token) {
			member.ask((node) -> node.raise(new RaiseCommand(command.keys(), command.request(), held.token)));
		}
	}

}

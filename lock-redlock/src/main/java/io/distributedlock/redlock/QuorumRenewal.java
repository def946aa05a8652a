package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.AcquireOutcome;
import io.distributedlock.store.AcquireOutcome.Granted;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewCommand;
import org.jspecify.annotations.Nullable;

/**
 * Renews one lease on all nodes. It is renewed when as many nodes have renewed it as a
 * grant needs. It is lost when so many nodes certainly do not have it that another
 * request can get it. A single node decides nothing. If enough nodes have it, the others,
 * which were away or have forgotten it, take it again.
 */
class QuorumRenewal extends Round<Ownership, Ownership> {

	final RenewCommand command;

	final long sentAt;

	/** Set when nodes that do not have the lease are to take it again. */
	private volatile boolean retakes;

	QuorumRenewal(Quorum quorum, RenewCommand command) {
		super(quorum);
		this.command = command;
		this.sentAt = quorum.timer().nanos();
		Held held = held();
		if (held != null) {
			sent(held);
		}
	}

	/** Note that the command is about to be sent. */
	void sent(Held held) {
		held.sent(this.command.marks());
	}

	/** Return the verb for messages. */
	String verb() {
		return "renew";
	}

	/** Send all renewals to each node by one command. */
	static List<CompletableFuture<Ownership>> send(Quorum quorum, List<RenewCommand> commands) {
		List<QuorumRenewal> renewals = commands.stream().map((command) -> new QuorumRenewal(quorum, command)).toList();
		renewals.forEach((renewal) -> renewal.limit(quorum.settings().timeout()));
		for (int i = 0; i < quorum.size(); i++) {
			List<CompletableFuture<Ownership>> answers = quorum.members().get(i).renew(commands);
			for (int j = 0; j < renewals.size(); j++) {
				renewals.get(j).asked(i, answers.get(j));
			}
		}
		return List.copyOf(renewals);
	}

	final @Nullable Held held() {
		return this.quorum.held().get(this.command.request());
	}

	@Override
	@Nullable Answer<Ownership> judge(List<Runnable> effects) {
		Held held = held();
		Ownership ownership = ownership(held);
		if (ownership == Ownership.HELD) {
			if (held != null) {
				confirmed(held);
			}
			retakeAll(effects);
		}
		else if (ownership != null && held != null && held.isLast(this.command.marks())) {
			this.quorum.held().remove(this.command.request());
		}
		boolean last = reached() + failed() == size() || failed() > size() - this.quorum.majority() || isExhausted();
		return (ownership != null) ? Answer.of(ownership) : last ? tooFew(effects) : null;
	}

	void confirmed(Held held) {
		held.confirmed(this.command.marks(), this.sentAt + this.command.ttl().toNanos());
	}

	/**
	 * Return the failure. A semaphore that needs more than a majority is not lost while a
	 * majority has it.
	 */
	private Answer<Ownership> tooFew(List<Runnable> effects) {
		int owners = count(Ownership.HELD::equals);
		if (owners < this.quorum.majority()) {
			return unavailable(verb() + " " + this.command.key(), "it", this.quorum.majority());
		}
		retakeAll(effects);
		return Answer.failed(new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
				"Cannot %s %s: %d of %d nodes have it, which are too few for as many permits".formatted(verb(),
						this.command.key(), owners, size()),
				null));
	}

	private void retakeAll(List<Runnable> effects) {
		this.retakes = true;
		for (int i = 0; i < size(); i++) {
			Answer<Ownership> answer = answer(i);
			if (answer != null && isMissing(answer)) {
				int index = i;
				effects.add(() -> retake(index));
			}
		}
	}

	/** Return whether the node has answered that it does not have the lease. */
	private static boolean isMissing(Answer<Ownership> answer) {
		return answer.value() != null && answer.value() != Ownership.HELD;
	}

	@Override
	void late(int index, Answer<Ownership> answer) {
		if (this.retakes && isMissing(answer)) {
			retake(index);
		}
	}

	/**
	 * Take the lease again on a node, unless its answer is out of date: the lease has run
	 * out everywhere, or an extend has overtaken the renewal.
	 */
	private void retake(int index) {
		Held held = held();
		long now = this.quorum.timer().nanos();
		if (held == null || held.isUnanswered(index) || !held.isValid(now) || !held.isLast(this.command.marks())) {
			return;
		}
		held.asked(index);
		Member member = this.quorum.members().get(index);
		AcquireCommand first = held.command;
		AcquireCommand again = new AcquireCommand(List.of(this.command.key()), first.request(), first.mode(),
				first.permits(), first.beside(), this.command.ttl(), held.kept(now), Duration.ZERO,
				held.lastToken() - 1, true);
		member.ask((node) -> node.acquire(again)).whenComplete((outcome, ex) -> {
			if (ex != null) {
				held.failed(index);
			}
			else if (outcome instanceof Granted) {
				held.applied(index);
			}
			held.answered(index);
			retaken(member, held, again, outcome);
		});
	}

	private void retaken(Member member, Held held, AcquireCommand again, @Nullable AcquireOutcome outcome) {
		if (!(outcome instanceof Granted granted)) {
			return;
		}
		if (held() != held) {
			// The request has ended meanwhile, and the node may have got the end first.
			member.end(again.keys(), again.request(), Duration.ZERO);
		}
		else {
			if (granted.token() < held.lastToken()) {
				member.raise(again.keys(), again.request(), held.lastToken());
			}
			taken(member);
		}
	}

	/** Handle a node that has taken the lease again. */
	void taken(Member member) {
	}

}

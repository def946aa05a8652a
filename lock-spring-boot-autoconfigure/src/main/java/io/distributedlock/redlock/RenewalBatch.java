package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.store.RenewCommand;

/**
 * Renewals that each node is asked for by one command.
 */
final class RenewalBatch {

	private final QuorumState quorum;

	private final List<RenewCommand> commands;

	private final List<Renewal> renewals;

	private final AtomicInteger undecided;

	private volatile Runnable alarm = () -> {
	};

	RenewalBatch(QuorumState quorum, List<RenewCommand> commands) {
		this.quorum = quorum;
		this.commands = List.copyOf(commands);
		this.renewals = this.commands.stream().map((command) -> new Renewal(quorum, command)).toList();
		this.undecided = new AtomicInteger(this.renewals.size());
	}

	List<CompletableFuture<Boolean>> send() {
		Duration nodeTimeout = this.quorum.settings().timeout();
		this.alarm = this.quorum.timer()
			.schedule(nodeTimeout, () -> overdue(this.quorum.patience().minus(nodeTimeout)));
		this.renewals.forEach((renewal) -> renewal.whenComplete((owner, ex) -> decided()));
		for (int i = 0; i < this.quorum.members().size(); i++) {
			List<CompletableFuture<Boolean>> answers = this.quorum.members().get(i).renew(this.commands);
			for (int j = 0; j < answers.size(); j++) {
				this.renewals.get(j).asked(i, answers.get(j));
			}
		}
		return List.copyOf(this.renewals);
	}

	private void overdue(Duration rest) {
		this.renewals.forEach((renewal) -> renewal.pass(false));
		if (this.undecided.get() > 0) {
			this.alarm = this.quorum.timer()
				.schedule(rest.isNegative() ? Duration.ZERO : rest,
						() -> this.renewals.forEach((renewal) -> renewal.pass(true)));
		}
	}

	private void decided() {
		if (this.undecided.decrementAndGet() == 0) {
			this.alarm.run();
		}
	}

}

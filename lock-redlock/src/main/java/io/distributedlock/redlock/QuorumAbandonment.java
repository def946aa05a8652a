package io.distributedlock.redlock;

import java.util.List;

import io.distributedlock.store.AbandonCommand;
import org.jspecify.annotations.Nullable;

/**
 * Ends a request on all nodes. Done when all have answered, or a majority has and the
 * others had the time for it: they get the command as soon as they can, behind the one
 * that it ends, and where it is lost too a minority is left, which blocks no other
 * request.
 */
final class QuorumAbandonment extends Round<Boolean, Void> {

	private final AbandonCommand command;

	QuorumAbandonment(Quorum quorum, AbandonCommand command) {
		super(quorum);
		// A successor would be first in the lines of the nodes that the ended one had.
		this.command = new AbandonCommand(command.keys(), command.request());
	}

	QuorumAbandonment start() {
		this.quorum.held().remove(this.command.request());
		limit(this.quorum.settings().timeout());
		for (int i = 0; i < size(); i++) {
			asked(i, this.quorum.members()
				.get(i)
				.ask((node) -> node.abandon(this.command))
				.thenApply((nothing) -> true));
		}
		return this;
	}

	@Override
	@Nullable Answer<Void> judge(List<Runnable> effects) {
		int majority = this.quorum.majority();
		boolean all = reached() + failed() == size();
		if (reached() >= majority && (all || doesWithoutSilent(majority))) {
			return Answer.of(null);
		}
		if (failed() > size() - majority || isExhausted()) {
			return unavailable("abandon " + this.command.keys(), "it", majority);
		}
		return null;
	}

}

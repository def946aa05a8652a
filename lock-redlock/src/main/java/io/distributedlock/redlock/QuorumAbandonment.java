package io.distributedlock.redlock;

import java.util.List;

import io.distributedlock.store.AbandonCommand;
import org.jspecify.annotations.Nullable;

/**
 * Ends a request on all nodes. Done when all have answered, or a majority has and the
 * node time-out is over. The other nodes get the command as soon as they can, after the
 * one that it ends. If it is lost too, only a minority has the request, which blocks no
 * other.
 */
final class QuorumAbandonment extends Round<Boolean, Void> {

	private final AbandonCommand command;

	QuorumAbandonment(Quorum quorum, AbandonCommand command) {
		super(quorum);
		// No successor: it would be first only in the lines of nodes that had the
		// request.
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

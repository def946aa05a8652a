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
final class Abandonment extends Round<Boolean, Void> {

	private final QuorumState quorum;

	private final AbandonCommand command;

	Abandonment(QuorumState quorum, AbandonCommand command) {
		super(quorum.members(), quorum.timer());
		this.quorum = quorum;
		// A successor would be first in the lines of the nodes that the ended one had.
		this.command = new AbandonCommand(command.keys(), command.request());
		quorum.held().remove(command.request());
		quorum.handOffs().settled(command.keys());
	}

	void start() {
		limit(this.quorum.settings().timeout(), this.quorum.patience());
		askAll((node) -> node.abandon(this.command).thenApply((nothing) -> true));
	}

	@Override
	@Nullable Answer<Void> judge(List<Runnable> effects) {
		int majority = this.quorum.majority();
		boolean all = reached() + failed() == size();
		if (reached() >= majority && (all || doesWithoutSilent(majority))) {
			return new Answer<>(null, null);
		}
		if (failed() > size() - majority || isExhausted()) {
			return new Answer<>(null, unavailable("abandon " + this.command.keys(), majority));
		}
		return null;
	}

}

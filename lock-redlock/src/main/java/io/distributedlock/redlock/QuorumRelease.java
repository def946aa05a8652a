package io.distributedlock.redlock;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.Ownership;
import io.distributedlock.store.ReleaseCommand;
import org.jspecify.annotations.Nullable;

/**
 * Releases locks on all nodes. Done when so many nodes report them as held that no other
 * request can have had them. Also done when so many report a loss that another one can.
 */
final class QuorumRelease extends Round<Ownership, Ownership> {

	private final ReleaseCommand command;

	private final @Nullable Held held;

	QuorumRelease(Quorum quorum, ReleaseCommand command) {
		super(quorum);
		this.command = command;
		this.held = quorum.held().remove(command.request());
	}

	QuorumRelease start() {
		limit(this.quorum.settings().timeout());
		for (int i = 0; i < size(); i++) {
			Member member = this.quorum.members().get(i);
			boolean mayComeLater = this.held != null && this.held.mayComeLater(i);
			CompletableFuture<Ownership> owner = member.ask((node) -> node.release(this.command));
			asked(i, mayComeLater ? owner.whenComplete((was, ex) -> refuseLater(member, was)) : owner);
		}
		return this;
	}

	/**
	 * End the request on a node that does not know it yet, so that a late attempt is
	 * refused. If the node does not answer, it may apply this and the attempt in any
	 * order.
	 */
	private void refuseLater(Member member, @Nullable Ownership was) {
		if (was != Ownership.HELD) {
			member.end(this.command.keys(), this.command.request(), Duration.ZERO);
		}
	}

	@Override
	@Nullable Answer<Ownership> judge(List<Runnable> effects) {
		int majority = this.quorum.majority();
		Ownership ownership = ownership(this.held);
		if (ownership != null) {
			return Answer.of(ownership);
		}
		if (reached() + failed() < size() && !isExhausted()) {
			return null;
		}
		return (count(Ownership.HELD::equals) >= majority) ? Answer.of(Ownership.HELD)
				: unavailable("release " + this.command.keys(), "it", majority);
	}

}

package io.distributedlock.redlock;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.ReleaseCommand;
import org.jspecify.annotations.Nullable;

/**
 * Gives locks back on all nodes. Done when so many have said that they were held that no
 * other request can have held them, or so many that they were not that one can.
 */
final class Release extends Round<Boolean, Boolean> {

	private final QuorumState quorum;

	private final ReleaseCommand command;

	private final @Nullable Held held;

	private final int needed;

	Release(QuorumState quorum, ReleaseCommand command) {
		super(quorum.members(), quorum.timer());
		this.quorum = quorum;
		this.command = command;
		this.held = quorum.held().remove(command.request());
		this.needed = (this.held != null) ? this.held.needed : quorum.majority();
	}

	void start() {
		limit(this.quorum.settings().timeout(), this.quorum.patience());
		for (int i = 0; i < size(); i++) {
			Member member = this.members.get(i);
			boolean mayComeLater = this.held != null && this.held.mayComeLater(i);
			ask(i, (node) -> {
				CompletableFuture<Boolean> owner = node.release(this.command);
				return mayComeLater ? owner.whenComplete((was, ex) -> refuseLater(member, was)) : owner;
			});
		}
	}

	/**
	 * A node that did not know of the request yet must not hear of it afterwards. One
	 * that does not answer may come to this and to what it ends in any order.
	 */
	private void refuseLater(Member member, @Nullable Boolean wasOwner) {
		if (!Boolean.TRUE.equals(wasOwner)) {
			member.ask((node) -> node.abandon(new AbandonCommand(this.command.keys(), this.command.request())));
		}
	}

	@Override
	@Nullable Answer<Boolean> judge(List<Runnable> effects) {
		int owner = 0;
		for (int i = 0; i < size(); i++) {
			Answer<Boolean> answer = answer(i);
			owner += (answer != null && Boolean.TRUE.equals(answer.value())) ? 1 : 0;
		}
		int majority = this.quorum.majority();
		if (owner >= this.needed) {
			return new Answer<>(true, null);
		}
		if (reached() - owner > size() - majority) {
			return new Answer<>(false, null);
		}
		if (reached() + failed() < size() && !isExhausted()) {
			return null;
		}
		return (owner >= majority) ? new Answer<>(true, null)
				: new Answer<>(null, unavailable("release " + this.command.keys(), majority));
	}

}

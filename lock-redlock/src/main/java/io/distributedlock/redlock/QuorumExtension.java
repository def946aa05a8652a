package io.distributedlock.redlock;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewCommand;

/**
 * Sets one lease anew on all nodes, as a renewal extends it. A node that misses the
 * command keeps the old lease, which no later renewal makes longer than its own ttl. A
 * node that takes the lock again has no marks, so it gets the command once more. Without
 * this, an earlier one that comes late would count there.
 */
final class QuorumExtension extends QuorumRenewal {

	private final ExtendCommand extend;

	private QuorumExtension(Quorum quorum, ExtendCommand extend) {
		super(quorum, new RenewCommand(extend.keys().get(0), extend.request(), extend.ttl(), extend.marks()));
		this.extend = extend;
	}

	/** Set several leases anew, each by itself. */
	static CompletableFuture<Ownership> send(Quorum quorum, ExtendCommand command) {
		return command.keys()
			.stream()
			.<CompletableFuture<Ownership>>map((key) -> of(quorum, command, key))
			.reduce((one, other) -> one.thenCombine(other, Ownership::and))
			.orElseThrow();
	}

	private static QuorumExtension of(Quorum quorum, ExtendCommand command, LockKey key) {
		QuorumExtension extension = new QuorumExtension(quorum, command.of(List.of(key)));
		extension.limit(quorum.settings().timeout());
		for (int i = 0; i < quorum.size(); i++) {
			extension.asked(i, quorum.members().get(i).ask((node) -> node.extend(extension.extend)));
		}
		return extension;
	}

	@Override
	void sent(Held held) {
		held.sent(this.command.marks(), this.sentAt + this.command.ttl().toNanos());
	}

	@Override
	String verb() {
		return "extend";
	}

	@Override
	void confirmed(Held held) {
		super.confirmed(held);
		if (this.extend.keepFor() != null) {
			held.keep(this.sentAt + this.extend.keepFor().toNanos());
		}
	}

	@Override
	void taken(Member member) {
		member.ask((node) -> node.extend(this.extend));
	}

}

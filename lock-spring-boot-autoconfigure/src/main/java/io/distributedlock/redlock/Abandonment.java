package io.distributedlock.redlock;

import java.util.List;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * Ends a request on all nodes. Done when all have answered, or a majority has and the
 * others had the time for it: they get the command as soon as they can, behind the one
 * that it ends, and where it is lost too a minority is left that stands in nobody's way.
 */
final class Abandonment extends Round<Boolean, Void> {

	private final QuorumState quorum;

	private final List<LockKey> keys;

	private final RequestId request;

	Abandonment(QuorumState quorum, List<LockKey> keys, RequestId request) {
		super(quorum.members(), quorum.timer());
		this.quorum = quorum;
		this.keys = keys;
		this.request = request;
		quorum.held().remove(request);
		quorum.handOvers().settled(keys);
	}

	void start() {
		limit(this.quorum.settings().timeout(), this.quorum.patience());
		askAll((node) -> node.abandon(this.keys, this.request).thenApply((nothing) -> true));
	}

	@Override
	@Nullable Answer<Void> judge(List<Runnable> effects) {
		int majority = this.quorum.majority();
		boolean all = reached() + failed() == size();
		if (reached() >= majority && (all || doesWithoutSilent(majority))) {
			return new Answer<>(null, null);
		}
		if (failed() > size() - majority || isExhausted()) {
			return new Answer<>(null, unavailable("abandon " + this.keys, majority));
		}
		return null;
	}

}

package io.distributedlock.redlock;

import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;

import io.distributedlock.store.ForceReleaseCommand;
import org.jspecify.annotations.Nullable;

/**
 * Takes a lock away on all nodes. Done when all have answered, or a majority has and the
 * others had the time for it: what is left on these is a minority.
 */
final class QuorumForcedRelease extends Round<Integer, Integer> {

	private final ForceReleaseCommand command;

	QuorumForcedRelease(Quorum quorum, ForceReleaseCommand command) {
		super(quorum);
		this.command = command;
	}

	QuorumForcedRelease start() {
		limit(this.quorum.settings().timeout());
		for (int i = 0; i < size(); i++) {
			asked(i, this.quorum.members().get(i).ask((node) -> node.forceRelease(this.command)));
		}
		return this;
	}

	@Override
	@Nullable Answer<Integer> judge(List<Runnable> effects) {
		int majority = this.quorum.majority();
		boolean all = reached() + failed() == size();
		if (reached() >= majority && (all || doesWithoutSilent(majority))) {
			return Answer.of(most());
		}
		if (failed() > size() - majority || isExhausted()) {
			return unavailable("take away " + this.command.key(), "it", majority);
		}
		return null;
	}

	private int most() {
		return IntStream.range(0, size())
			.mapToObj(this::answer)
			.filter((answer) -> answer != null && answer.value() != null)
			.mapToInt((answer) -> Objects.requireNonNull(answer.value()))
			.max()
			.orElse(0);
	}

}

package io.distributedlock.redlock;

import java.util.ArrayList;
import java.util.List;

import io.distributedlock.store.RenewCommand;
import org.jspecify.annotations.Nullable;

/**
 * Extends leases on all nodes. A lease is renewed when so many nodes have extended it as
 * it takes to get one, and lost when so many say definitely that they do not have it that
 * another one can; what a single node says or does not say changes nothing. Where enough
 * have it, those that do not are asked to take it again.
 */
final class Renewal extends Round<List<Boolean>, List<Boolean>> {

	private final QuorumState quorum;

	private final List<RenewCommand> commands;

	private final Retaking retaking;

	private final long sentAt;

	/** What nodes that answer later are measured by. */
	private volatile List<Extent> decided = List.of();

	Renewal(QuorumState quorum, List<RenewCommand> commands) {
		super(quorum.members(), quorum.timer());
		this.quorum = quorum;
		this.commands = commands;
		this.retaking = new Retaking(quorum);
		this.sentAt = this.timer.nanos();
	}

	void start() {
		limit(this.quorum.settings().timeout(), this.quorum.patience());
		askAll((node) -> node.renew(this.commands));
	}

	@Override
	@Nullable Answer<List<Boolean>> judge(List<Runnable> effects) {
		int majority = this.quorum.majority();
		if (reached() < majority) {
			return (failed() > size() - majority || isExhausted())
					? new Answer<>(null, unavailable("renew " + this.commands.size() + " leases", majority)) : null;
		}
		boolean last = reached() + failed() == size() || doesWithoutSilent(majority);
		List<Extent> extents = new ArrayList<>(this.commands.size());
		for (int i = 0; i < this.commands.size(); i++) {
			Extent extent = extent(i, majority);
			if (extent == Extent.TOO_FEW && !last) {
				return null;
			}
			extents.add(extent);
		}
		return decided(extents, effects);
	}

	private Extent extent(int command, int majority) {
		int owners = 0;
		for (int i = 0; i < size(); i++) {
			owners += (says(answer(i), command) == Boolean.TRUE) ? 1 : 0;
		}
		Held held = this.quorum.held().get(this.commands.get(command).request());
		if (owners >= ((held != null) ? held.needed : majority)) {
			return Extent.ENOUGH;
		}
		return (reached() - owners > size() - majority) ? Extent.NONE : Extent.TOO_FEW;
	}

	private static @Nullable Boolean says(@Nullable Answer<List<Boolean>> answer, int command) {
		return (answer != null && answer.value() != null) ? answer.value().get(command) : null;
	}

	private Answer<List<Boolean>> decided(List<Extent> extents, List<Runnable> effects) {
		this.decided = extents;
		List<Boolean> outcomes = new ArrayList<>(extents.size());
		for (int i = 0; i < extents.size(); i++) {
			outcomes.add(extents.get(i) == Extent.ENOUGH);
			remember(this.commands.get(i), extents.get(i));
		}
		for (int i = 0; i < size(); i++) {
			Answer<List<Boolean>> answer = answer(i);
			if (answer != null) {
				int index = i;
				effects.add(() -> late(index, answer));
			}
		}
		return new Answer<>(outcomes, null);
	}

	private void remember(RenewCommand command, Extent extent) {
		if (extent == Extent.NONE) {
			this.quorum.held().remove(command.request());
		}
		Held held = this.quorum.held().get(command.request());
		if (held != null && extent == Extent.ENOUGH) {
			held.extend(this.sentAt + command.ttl().toNanos());
		}
	}

	/** Have the node take what it does not have and enough others do. */
	@Override
	void late(int index, Answer<List<Boolean>> answer) {
		List<Extent> extents = this.decided;
		for (int i = 0; i < extents.size(); i++) {
			if (extents.get(i) == Extent.ENOUGH && says(answer, i) == Boolean.FALSE) {
				this.retaking.retake(index, this.commands.get(i));
			}
		}
	}

	/** How far a lease reaches. */
	private enum Extent {

		ENOUGH, TOO_FEW, NONE

	}

}

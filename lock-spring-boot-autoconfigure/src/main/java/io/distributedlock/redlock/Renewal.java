package io.distributedlock.redlock;

import java.util.List;

import io.distributedlock.LockStoreException;
import io.distributedlock.store.RenewCommand;
import org.jspecify.annotations.Nullable;

/**
 * Extends one lease on all nodes. It is renewed when so many nodes have extended it as it
 * takes to get one, and lost when so many say definitely that they do not have it that
 * another one can get it; what a single node says or does not say changes nothing. Where
 * enough have it, those that do not are asked to take it again.
 */
final class Renewal extends Round<Boolean, Boolean> {

	private final QuorumState quorum;

	private final RenewCommand command;

	private final Retaking retaking;

	private final long sentAt;

	/** Whether nodes that do not have it are to take it again. */
	private volatile boolean retakes;

	Renewal(QuorumState quorum, RenewCommand command) {
		super(quorum.members(), quorum.timer());
		this.quorum = quorum;
		this.command = command;
		this.retaking = new Retaking(quorum);
		this.sentAt = this.timer.nanos();
	}

	@Override
	@Nullable Answer<Boolean> judge(List<Runnable> effects) {
		int majority = this.quorum.majority();
		Held held = this.quorum.held().get(this.command.request());
		int owners = owners();
		if (owners >= ((held != null) ? held.needed : majority)) {
			return renewed(held, effects);
		}
		if (reached() - owners > size() - majority) {
			this.quorum.held().remove(this.command.request());
			return new Answer<>(false, null);
		}
		boolean last = reached() + failed() == size() || failed() > size() - majority || isExhausted();
		return last ? tooFew(owners, effects) : null;
	}

	private int owners() {
		int owners = 0;
		for (int i = 0; i < size(); i++) {
			Answer<Boolean> answer = answer(i);
			owners += (answer != null && Boolean.TRUE.equals(answer.value())) ? 1 : 0;
		}
		return owners;
	}

	private Answer<Boolean> renewed(@Nullable Held held, List<Runnable> effects) {
		this.retakes = true;
		if (held != null) {
			held.extend(this.sentAt + this.command.ttl().toNanos());
		}
		retakeAll(effects);
		return new Answer<>(true, null);
	}

	/** What a majority has of a semaphore that takes more is not lost yet. */
	private Answer<Boolean> tooFew(int owners, List<Runnable> effects) {
		if (owners < this.quorum.majority()) {
			return new Answer<>(null, unavailable("renew " + this.command.key(), this.quorum.majority()));
		}
		this.retakes = true;
		retakeAll(effects);
		return new Answer<>(null,
				new LockStoreException(LockStoreException.Kind.UNAVAILABLE,
						"Cannot renew %s: %d of %d nodes have it, which are too few for as many permits"
							.formatted(this.command.key(), owners, size()),
						null));
	}

	private void retakeAll(List<Runnable> effects) {
		for (int i = 0; i < size(); i++) {
			Answer<Boolean> answer = answer(i);
			if (answer != null && Boolean.FALSE.equals(answer.value())) {
				int index = i;
				effects.add(() -> this.retaking.retake(index, this.command));
			}
		}
	}

	@Override
	void late(int index, Answer<Boolean> answer) {
		if (this.retakes && Boolean.FALSE.equals(answer.value())) {
			this.retaking.retake(index, this.command);
		}
	}

}

package io.distributedlock.redlock;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * Takes a lock away on all nodes. Done when all have answered, or a majority has and the
 * node time-out is over: then only a minority may still have it. A request that one node
 * has may still be on its way to another, which gets the command to refuse it.
 * <p>
 * The holders are known before the lock is taken from all of them. No node gets that
 * command later: the next holder comes as soon as enough nodes are free, and would lose
 * the lock.
 */
final class QuorumForcedRelease extends Round<Integer, Integer> {

	private final ForceReleaseCommand command;

	QuorumForcedRelease(Quorum quorum, ForceReleaseCommand command) {
		super(quorum);
		this.command = command;
	}

	QuorumForcedRelease start() {
		if (this.command.request() != null) {
			limit(this.quorum.settings().timeout());
			for (int i = 0; i < size(); i++) {
				asked(i, take(i, this.command));
			}
			return this;
		}
		QuorumInspection look = new QuorumInspection(this.quorum, this.command.key(), "take away").start();
		look.whenComplete((seen, failure) -> {
			if (failure != null) {
				completeExceptionally(failure);
			}
			else if (!isDone()) {
				takeFromAll(look.requests());
			}
		});
		return this;
	}

	/**
	 * Take the lock from all holders. A node refuses requests that only other nodes have,
	 * so that it does not grant them later.
	 * @param before the requests that each node has named
	 */
	private void takeFromAll(Map<Integer, Set<RequestId>> before) {
		limit(this.quorum.settings().timeout());
		Set<RequestId> all = before.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
		for (int i = 0; i < size(); i++) {
			Set<RequestId> here = before.getOrDefault(i, Set.of());
			int index = i;
			all.stream().filter((request) -> !here.contains(request)).forEach((request) -> refuse(index, request));
			asked(i, before.containsKey(i) ? take(i, this.command)
					: CompletableFuture.failedFuture(new CancellationException()));
		}
	}

	private CompletableFuture<Integer> take(int index, ForceReleaseCommand what) {
		return this.quorum.members().get(index).askMonitor((monitor) -> monitor.forceRelease(what));
	}

	private void refuse(int index, RequestId request) {
		take(index, new ForceReleaseCommand(this.command.key(), request, true));
	}

	/** Refuse a request on the other nodes: one node knew it, so it was not mistyped. */
	private void refuseElsewhere(RequestId request) {
		for (int i = 0; i < size(); i++) {
			Answer<Integer> answer = answer(i);
			if (answer == null || !Integer.valueOf(1).equals(answer.value())) {
				refuse(i, request);
			}
		}
	}

	@Override
	@Nullable Answer<Integer> judge(List<Runnable> effects) {
		int majority = this.quorum.majority();
		boolean all = reached() + failed() == size();
		if (reached() >= majority && (all || doesWithoutSilent(majority))) {
			RequestId only = this.command.request();
			int ended = most();
			if (only != null && ended > 0) {
				effects.add(() -> refuseElsewhere(only));
			}
			return Answer.of(ended);
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

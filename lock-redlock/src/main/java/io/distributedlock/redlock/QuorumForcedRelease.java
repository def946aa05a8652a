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
 * others had the time for it: what is left on these is a minority. A request that one
 * node has may be on its way to another one still, which is told to refuse it then.
 * <p>
 * Who has it is known before it is taken from all, and no node is told later to take it
 * from all: the next holder comes as soon as enough nodes are free.
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
	 * No node is to have later what another one has.
	 * @param before the requests that have it, by the nodes that have said so
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

	/** Some node has known the request, so that it is not one that was mistyped. */
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

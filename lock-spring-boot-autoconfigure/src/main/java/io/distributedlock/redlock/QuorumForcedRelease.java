package io.distributedlock.redlock;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.store.ForceReleaseCommand;
import io.distributedlock.store.RequestId;
import org.jspecify.annotations.Nullable;

/**
 * Takes a lock away on all nodes. Done when all have answered, or a majority has and the
 * others had the time for it: what is left on these is a minority. A request that one
 * node has may be on its way to another one still, which refuses it then: a node that is
 * told the request does so, and the others are told those that it did not have.
 */
final class QuorumForcedRelease extends Round<Integer, Integer> {

	private final ForceReleaseCommand command;

	/** The requests that each node had before, where they are not named. */
	private final List<Set<RequestId>> before;

	QuorumForcedRelease(Quorum quorum, ForceReleaseCommand command) {
		super(quorum);
		this.command = command;
		this.before = Stream.generate(ConcurrentHashMap::<RequestId>newKeySet)
			.limit(quorum.size())
			.<Set<RequestId>>map((requests) -> requests)
			.toList();
	}

	QuorumForcedRelease start() {
		limit(this.quorum.settings().timeout());
		for (int i = 0; i < size(); i++) {
			asked(i, (this.command.request() != null) ? take(i, this.command) : look(i).thenCompose(takeAll(i)));
		}
		return this;
	}

	private CompletableFuture<Integer> take(int index, ForceReleaseCommand what) {
		return this.quorum.members().get(index).ask((node) -> node.forceRelease(what));
	}

	private Function<Object, CompletableFuture<Integer>> takeAll(int index) {
		return (nothing) -> take(index, this.command);
	}

	/** Completes also if the node cannot say. */
	private CompletableFuture<?> look(int index) {
		return this.quorum.members()
			.get(index)
			.ask((node) -> node.inspect(this.command.key()))
			.thenAccept((seen) -> seen.holders()
				.forEach((holder) -> this.before.get(index).add(RequestId.parse(holder.request()))))
			.exceptionally((failure) -> null);
	}

	/** No node is to have later what another one had. */
	private void takeFromAll() {
		Set<RequestId> all = this.before.stream().flatMap(Set::stream).collect(Collectors.toSet());
		for (int i = 0; i < size(); i++) {
			for (RequestId request : all) {
				if (!this.before.get(i).contains(request)) {
					take(i, new ForceReleaseCommand(this.command.key(), request));
				}
			}
		}
	}

	@Override
	@Nullable Answer<Integer> judge(List<Runnable> effects) {
		int majority = this.quorum.majority();
		boolean all = reached() + failed() == size();
		if (reached() >= majority && (all || doesWithoutSilent(majority))) {
			effects.add(this::takeFromAll);
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

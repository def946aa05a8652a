package io.distributedlock.chaos;

import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/** The kinds of topologies of a run. */
enum TopologyKind {

	/** A single server. */
	STANDALONE,

	/** Many slots that look like one server, as behind a proxy that shards. */
	SHARDED,

	/** A master with replicas, replaced by Sentinels. */
	SENTINEL,

	/** Three masters with a replica each. */
	CLUSTER,

	/** A majority of three independent servers, which may forget. */
	REDLOCK3,

	/** A majority of five independent servers, whose clocks differ. */
	REDLOCK5;

	/** Start the servers. */
	Topology start(boolean clocks) {
		return switch (this) {
			case STANDALONE -> new StandaloneTopology(clocks);
			case SHARDED -> new ShardedTopology();
			case SENTINEL -> new SentinelTopology();
			case CLUSTER -> new ClusterTopology();
			case REDLOCK3 -> new RedlockTopology(3, false);
			case REDLOCK5 -> new RedlockTopology(5, true);
		};
	}

	/**
	 * Return whether independent servers decide by majority, each with lines of its own.
	 */
	boolean isMajority() {
		return this == REDLOCK3 || this == REDLOCK5;
	}

	String label() {
		return name().toLowerCase(Locale.ROOT);
	}

	/** The kinds with these names, separated by commas, or {@code all}. */
	static List<TopologyKind> named(String names) {
		List<String> labels = List.of(names.split(","));
		return Stream.of(values()).filter((kind) -> names.equals("all") || labels.contains(kind.label())).toList();
	}

}

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
	REDLOCK5,

	/** A PostgreSQL, where a crash may forget the last changes of locks. */
	POSTGRESQL,

	/** A PostgreSQL, where it may not. */
	POSTGRESQL_DURABLE;

	/** Start the servers. */
	Topology start(boolean clocks) {
		return switch (this) {
			case STANDALONE -> new StandaloneTopology(clocks);
			case SHARDED -> new ShardedTopology();
			case SENTINEL -> new SentinelTopology();
			case CLUSTER -> new ClusterTopology();
			case REDLOCK3 -> new RedlockTopology(3, false);
			case REDLOCK5 -> new RedlockTopology(5, true);
			case POSTGRESQL -> new PostgresTopology(false);
			case POSTGRESQL_DURABLE -> new PostgresTopology(true);
		};
	}

	/**
	 * Return whether independent servers decide by majority, each with lines of its own.
	 */
	boolean isMajority() {
		return this == REDLOCK3 || this == REDLOCK5;
	}

	/** Return whether the locks are in PostgreSQL, not in Redis. */
	boolean isPostgres() {
		return this == POSTGRESQL || this == POSTGRESQL_DURABLE;
	}

	String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	/** The kinds with these names, separated by commas, or {@code all}. */
	static List<TopologyKind> named(String names) {
		List<String> labels = List.of(names.split(","));
		return Stream.of(values()).filter((kind) -> names.equals("all") || labels.contains(kind.label())).toList();
	}

}

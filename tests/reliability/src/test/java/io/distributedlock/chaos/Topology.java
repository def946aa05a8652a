package io.distributedlock.chaos;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.stream.Collectors;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.faults.FaultProxy;
import io.distributedlock.faults.ServerClock;
import io.distributedlock.history.Event;
import org.jspecify.annotations.Nullable;

/** The servers of a run. Used by one thread at a time. */
interface Topology extends AutoCloseable {

	/**
	 * The settings of servers that keep their data. The file stays small in a run of any
	 * length. By itself Redis rewrites it from 64 MB on, and in a long run one of five
	 * nodes that were restarted at once was not ready within half a minute.
	 */
	static String[] onDisk() {
		return new String[] { "--appendonly", "yes", "--appendfsync", "everysec", "--auto-aof-rewrite-min-size",
				"4mb" };
	}

	/** A description of the topology, for reports. */
	String description();

	/** The servers of Redis that clients talk to, in an order that never changes. */
	List<RedisServer> servers();

	/**
	 * New proxies in front of the servers that clients talk to, by the ports of these.
	 */
	default Map<Integer, FaultProxy> proxies() {
		return servers().stream()
			.collect(Collectors.toMap(RedisServer::port, (server) -> new FaultProxy(server.host(), server.port())));
	}

	/** The ports that workers are given to begin with. */
	default List<Integer> entries() {
		return servers().stream().map(RedisServer::port).toList();
	}

	/** The servers of Redis that keep locks now: each its own, or all the same. */
	List<ServerAdmin> admins();

	/** The servers that keep locks now, of any kind. */
	default List<? extends StoreAdmin> stores() {
		return admins();
	}

	/** The servers that keep this lock. */
	default List<ServerAdmin> adminsOf(String key) {
		return admins();
	}

	/** The possible faults. The first is the reason for the topology, and comes first. */
	List<Nemesis> faults();

	/**
	 * The judge of servers that do not answer, or are replaced, without a fault of the
	 * run.
	 * @param keys all locks
	 * @param asked a number that is odd while a master is replaced by a fault, and
	 * another one afterwards
	 */
	default ServerWatch.Judge judge(List<String> keys, IntSupplier asked) {
		return new ServerGroupWatch(servers(), () -> List.of(Event.ALL), asked, System::nanoTime);
	}

	/** The clock of the server, in a run that sets it. */
	default @Nullable ServerClock clock() {
		return null;
	}

	/** The JVM options of the workers. */
	default List<String> jvmOptions() {
		ServerClock clock = clock();
		return (clock != null) ? clock.jvmOptions() : List.of();
	}

	/** Some server has lost its data, and with it the time. */
	default void tellTime() {
		ServerClock clock = clock();
		if (clock != null) {
			clock.restore();
		}
	}

	/** The clock of one server, if it is set. */
	default @Nullable ServerClock clock(StoreAdmin admin) {
		return clock();
	}

	/** How far a server's clock is from the machine's. */
	default Duration shift(StoreAdmin admin) {
		ServerClock clock = clock(admin);
		return (clock != null) ? clock.shift() : Duration.ZERO;
	}

	/** Wait until all is well. */
	default void awaitHealthy() {
	}

	@Override
	void close();

}

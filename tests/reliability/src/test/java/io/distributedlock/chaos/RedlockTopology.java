package io.distributedlock.chaos;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.distributedlock.faults.ServerClock;
import org.jspecify.annotations.Nullable;

/**
 * Independent servers, each of which keeps all locks. Either their clocks differ or they
 * may forget, never both: once a majority has forgotten a lock, its tokens may fall back
 * by the difference of the clocks.
 */
final class RedlockTopology implements Topology {

	/** How far the clock of a node is ahead of that of the one before. */
	private static final Duration SKEW = Duration.ofMillis(150);

	private final List<RedisServer> servers;

	private final Admins admins = new Admins();

	private MajorityWatch watch;

	private final Map<RedisServer, ServerClock> clocks = new LinkedHashMap<>();

	RedlockTopology(int nodes, boolean clocks) {
		this.servers = IntStream.range(0, nodes).mapToObj((ignored) -> RedisServers.start(Topology.onDisk())).toList();
		this.watch = new MajorityWatch(nodes, List.of(), System::nanoTime);
		for (RedisServer server : clocks ? this.servers : List.<RedisServer>of()) {
			ServerClock clock = new ServerClock(this.admins.of(server).commands());
			clock.step(SKEW.multipliedBy(this.clocks.size()));
			this.clocks.put(server, clock);
		}
	}

	@Override
	public String description() {
		String apart = this.clocks.isEmpty() ? "" : " whose clocks are " + SKEW.toMillis() + " ms apart";
		return "%d independent servers%s, each %s".formatted(this.servers.size(), apart,
				this.servers.get(0).description());
	}

	@Override
	public List<RedisServer> servers() {
		return this.servers;
	}

	@Override
	public List<ServerAdmin> admins() {
		return this.servers.stream().map(this.admins::of).toList();
	}

	@Override
	public List<Nemesis> faults() {
		RedlockFaults own = new RedlockFaults(this);
		return (this.clocks.isEmpty() ? Stream.of(own.all(), own.forgetting(), CommonFaults.all())
				: Stream.of(own.all(), own.setting(), CommonFaults.disturbing()))
			.flatMap((each) -> each)
			.toList();
	}

	@Override
	public ServerWatch.Judge judge(List<String> keys, IntSupplier asked) {
		this.watch = new MajorityWatch(this.servers.size(), keys.stream().filter(ChaosKeys::isSemaphore).toList(),
				System::nanoTime);
		return this.watch;
	}

	/** Tell when faults strike nodes. */
	MajorityWatch watch() {
		return this.watch;
	}

	/** Return the name of a node in the history, by its place in the list. */
	static String nameOf(int index) {
		return "node-" + index;
	}

	List<String> namesOf(List<RedisServer> nodes) {
		return nodes.stream().map((node) -> nameOf(this.servers.indexOf(node))).toList();
	}

	ServerAdmin admin(RedisServer server) {
		return this.admins.of(server);
	}

	ServerClock clock(RedisServer server) {
		return this.clocks.get(server);
	}

	@Override
	public List<String> jvmOptions() {
		return this.clocks.isEmpty() ? List.of() : clock(this.servers.get(0)).jvmOptions();
	}

	@Override
	public void tellTime() {
		this.clocks.values().forEach(ServerClock::restore);
	}

	@Override
	public @Nullable ServerClock clock(StoreAdmin admin) {
		return this.clocks.entrySet()
			.stream()
			.filter((clock) -> admin(clock.getKey()) == admin)
			.map(Map.Entry::getValue)
			.findFirst()
			.orElse(null);
	}

	@Override
	public void close() {
		this.admins.close();
		this.clocks.values().forEach(ServerClock::close);
		this.servers.forEach(RedisServer::close);
	}

}

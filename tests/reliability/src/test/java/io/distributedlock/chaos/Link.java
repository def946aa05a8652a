package io.distributedlock.chaos;

import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.faults.ClientClock;
import io.distributedlock.faults.FaultProxy;

/**
 * The link from one process to the servers, with a proxy in front of each server, and the
 * clock of the machine of the process.
 */
final class Link implements AutoCloseable {

	private final Map<Integer, FaultProxy> proxies;

	private final ClientClock clock = new ClientClock();

	private final ChaosDriver driver;

	/**
	 * Create a link.
	 * @param proxies new proxies by the ports of their servers, closed with this link
	 */
	Link(Map<Integer, FaultProxy> proxies, ChaosDriver driver) {
		this.proxies = new TreeMap<>(proxies);
		this.driver = driver;
	}

	ClientClock clock() {
		return this.clock;
	}

	List<FaultProxy> proxies() {
		return List.copyOf(this.proxies.values());
	}

	/** The one in front of a server. */
	FaultProxy to(RedisServer server) {
		return this.proxies.get(server.port());
	}

	/** Return one of the proxies at random. */
	FaultProxy any(Random random) {
		return proxies().get(random.nextInt(this.proxies.size()));
	}

	void pass() {
		this.proxies.values().forEach(FaultProxy::pass);
	}

	/** The addresses that a process uses behind this link. */
	Route route(TopologyKind topology, List<Integer> entries) {
		Map<Integer, Integer> detours = new TreeMap<>();
		this.proxies.forEach((port, proxy) -> detours.put(port, proxy.port()));
		return new Route(topology, this.driver, entries, detours);
	}

	@Override
	public void close() {
		this.proxies.values().forEach(FaultProxy::close);
		this.clock.close();
	}

}

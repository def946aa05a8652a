package io.distributedlock.chaos;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How a process gets to the servers, as an argument of its command line.
 *
 * @param topology the kind of servers
 * @param driver the driver that connects to them
 * @param entries the ports that it is told
 * @param detours by the port of a server that of the proxy in front of it
 */
record Route(TopologyKind topology, ChaosDriver driver, List<Integer> entries, Map<Integer, Integer> detours) {

	static Route parse(String text) {
		String[] parts = text.split(";");
		Map<Integer, Integer> detours = new TreeMap<>();
		Stream.of(parts[3].split(",")).map((detour) -> detour.split(">")).forEach((detour) -> {
			detours.put(Integer.parseInt(detour[0]), Integer.parseInt(detour[1]));
		});
		return new Route(TopologyKind.valueOf(parts[0]), ChaosDriver.valueOf(parts[1]),
				Stream.of(parts[2].split(",")).map(Integer::parseInt).toList(), detours);
	}

	/** The port to connect to instead of a port. */
	int detour(int port) {
		return this.detours.getOrDefault(port, port);
	}

	@Override
	public String toString() {
		return this.topology + ";" + this.driver + ";"
				+ this.entries.stream().map(String::valueOf).collect(Collectors.joining(",")) + ";"
				+ this.detours.entrySet()
					.stream()
					.map((detour) -> detour.getKey() + ">" + detour.getValue())
					.collect(Collectors.joining(","));
	}

}

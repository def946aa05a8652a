package io.distributedlock.chaos;

import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.embedded.RedisSentinels;
import io.distributedlock.embedded.RedisServer;

/** A master with two replicas and three Sentinels, which workers ask for the master. */
final class SentinelTopology implements Topology {

	private final RedisSentinels sentinels = RedisSentinels.start(2);

	private final Admins admins = new Admins();

	@Override
	public String description() {
		return "a master, two replicas and three Sentinels, each " + this.sentinels.nodes().get(0).description();
	}

	@Override
	public List<RedisServer> servers() {
		return this.sentinels.nodes();
	}

	@Override
	public List<Integer> entries() {
		return this.sentinels.sentinels().stream().map(RedisServer::port).toList();
	}

	@Override
	public List<ServerAdmin> admins() {
		return List.of(this.admins.of(this.sentinels.master()));
	}

	@Override
	public List<Nemesis> faults() {
		return Stream.concat(new SentinelFaults(this.sentinels).all(), CommonFaults.all()).toList();
	}

	@Override
	public void awaitHealthy() {
		this.sentinels.awaitAgreement();
	}

	@Override
	public void close() {
		this.admins.close();
		this.sentinels.close();
	}

}

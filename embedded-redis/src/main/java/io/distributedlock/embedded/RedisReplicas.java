package io.distributedlock.embedded;

import java.util.ArrayList;
import java.util.List;

/**
 * A master and its replicas without Sentinels: real processes on this machine, which end
 * with the JVM. Every failure is an {@link IllegalStateException}. Thread-safe.
 *
 * @since 0.1.0
 */
public final class RedisReplicas implements AutoCloseable {

	private final ServerGroup group;

	private final RedisServer master;

	private final List<RedisServer> replicas;

	private RedisReplicas(ServerGroup group, RedisServer master, List<RedisServer> replicas) {
		this.group = group;
		this.master = master;
		this.replicas = List.copyOf(replicas);
	}

	/**
	 * Start a master and its replicas.
	 * @param count the number of replicas
	 * @param settings more arguments for each server
	 * @return the servers, with all replicas in sync
	 */
	public static RedisReplicas start(int count, String... settings) {
		ServerGroup group = new ServerGroup();
		try {
			ServerBinary binary = RedisServers.binary();
			List<String> all = new ArrayList<>(List.of("--repl-diskless-sync-delay", "0"));
			all.addAll(List.of(settings));
			RedisServer master = group.start(binary, ServerArguments.dataServer(binary, all));
			List<RedisServer> replicas = new ArrayList<>();
			for (int i = 0; i < count; i++) {
				RedisServer replica = group.start(binary, ServerArguments.dataServer(binary, all));
				replica.ask("REPLICAOF", master.host(), Integer.toString(master.port()));
				replicas.add(replica);
			}
			ServerGroup.await("replicas are online",
					() -> ServerGroup.info(master, "INFO", "replication").split("state=online", -1).length > count);
			return new RedisReplicas(group, master, replicas);
		}
		catch (RuntimeException ex) {
			group.close();
			throw ex;
		}
	}

	/**
	 * The server that takes writes.
	 * @return the master
	 */
	public RedisServer master() {
		return this.master;
	}

	/**
	 * The replicas of the master.
	 * @return the replicas
	 */
	public List<RedisServer> replicas() {
		return this.replicas;
	}

	@Override
	public void close() {
		this.group.close();
	}

}

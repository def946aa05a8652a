package io.distributedlock.sample.server;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Addresses of the servers that this process has started, for other processes.
 *
 * @param properties Spring properties that name them, empty if none was started
 * @param databasePassword the password of the database, empty if none was started
 */
public record Endpoints(Map<String, String> properties, String databasePassword) {

	/**
	 * Create endpoints.
	 * @param properties Spring properties
	 * @param databasePassword the password
	 */
	public Endpoints {
		properties = Map.copyOf(properties);
	}

	static Endpoints none() {
		return new Endpoints(Map.of(), "");
	}

	Endpoints withRedis(String host, int port) {
		Map<String, String> all = new LinkedHashMap<>(this.properties);
		all.put("spring.data.redis.host", host);
		all.put("spring.data.redis.port", String.valueOf(port));
		return new Endpoints(all, this.databasePassword);
	}

	Endpoints withDatabase(SharedDatabase database) {
		Map<String, String> all = new LinkedHashMap<>(this.properties);
		all.put("spring.datasource.url", database.remoteUrl());
		all.put("spring.datasource.username", database.getUsername());
		return new Endpoints(all, database.getPassword());
	}

}

package io.distributedlock.sample.server;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * How another process reaches the servers that this process has brought up.
 *
 * @param properties Spring properties that name them, empty where none was brought up
 * @param databasePassword the password of the database, empty where none was brought up
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

package io.distributedlock.sample.sale;

import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.distributedlock.sample.server.Endpoints;

/** Command that starts an instance by hand, which shares the servers of this process. */
final class SecondInstance {

	private SecondInstance() {
	}

	static String command(Endpoints endpoints) {
		Map<String, String> options = new TreeMap<>(endpoints.properties());
		options.put("server.port", "8081");
		options.put("flash-sale.run", "false");
		return options.entrySet()
			.stream()
			.map((option) -> "--" + option.getKey() + "=" + option.getValue())
			.collect(
					Collectors.joining(" ",
							password(endpoints)
									+ "mvn -Psample -pl sample-app -am spring-boot:run -Dspring-boot.run.arguments=\"",
							"\""));
	}

	private static String password(Endpoints endpoints) {
		return endpoints.databasePassword().isEmpty() ? ""
				: "SPRING_DATASOURCE_PASSWORD=" + endpoints.databasePassword() + " ";
	}

}

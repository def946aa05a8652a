package io.distributedlock.sample.sale;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import io.distributedlock.embedded.RedisLink;
import io.distributedlock.sample.SampleApplication;
import io.distributedlock.sample.server.Endpoints;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ApplicationArguments;
import org.springframework.stereotype.Component;

/**
 * The command line of an instance: this application with its own options, the addresses
 * of the servers, and the profile {@code instance}.
 */
@Component
class InstanceCommand {

	/** System properties that configure the application or find Redis. */
	private static final Pattern INHERITED = Pattern.compile("-D(spring|distributed-lock|flash-sale)\\..*");

	private final ApplicationArguments arguments;

	private final Endpoints endpoints;

	InstanceCommand(ApplicationArguments arguments, Endpoints endpoints) {
		this.arguments = arguments;
		this.endpoints = endpoints;
	}

	/** Open a link to the Redis of the sample, if there is one. It can be cut. */
	@Nullable RedisLink redisLink() {
		String host = this.endpoints.properties().get("spring.data.redis.host");
		String port = this.endpoints.properties().get("spring.data.redis.port");
		return (host != null && port != null) ? RedisLink.to(host, Integer.parseInt(port)) : null;
	}

	ProcessBuilder create(Map<String, String> options, Path directory) throws IOException {
		Map<String, String> all = new LinkedHashMap<>(this.endpoints.properties());
		all.putAll(options);
		all.put("spring.profiles.active", "instance");
		List<String> command = new ArrayList<>();
		command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
		command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m"));
		ManagementFactory.getRuntimeMXBean()
			.getInputArguments()
			.stream()
			.filter((argument) -> INHERITED.matcher(argument).matches())
			.forEach(command::add);
		command.add("@" + classPathFile(directory));
		command.add(SampleApplication.class.getName());
		inheritedOptions(all).forEach(command::add);
		all.forEach((name, value) -> command.add("--" + name + "=" + value));
		return withPassword(new ProcessBuilder(command));
	}

	/**
	 * Return the options of this process but the overridden ones: an option that is given
	 * twice would count as a list.
	 */
	private List<String> inheritedOptions(Map<String, String> overridden) {
		return List.of(this.arguments.getSourceArgs())
			.stream()
			.filter((argument) -> !overridden.containsKey(argument.replaceFirst("^--", "").replaceFirst("=.*", "")))
			.toList();
	}

	/**
	 * Write the class path to a file, since it may be too long for a command line.
	 * Written once: an instance that was started before may still read it.
	 */
	private static Path classPathFile(Path directory) throws IOException {
		Path file = directory.resolve("class-path");
		if (Files.exists(file)) {
			return file;
		}
		String quoted = System.getProperty("java.class.path").replace("\\", "\\\\").replace("\"", "\\\"");
		return Files.writeString(file, "-cp \"" + quoted + "\"");
	}

	/**
	 * Put the password into the environment: other users of the machine see command
	 * lines.
	 */
	private ProcessBuilder withPassword(ProcessBuilder builder) {
		if (!this.endpoints.databasePassword().isEmpty()) {
			builder.environment().put("SPRING_DATASOURCE_PASSWORD", this.endpoints.databasePassword());
		}
		return builder;
	}

}

package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.distributedlock.engine.DefaultLockRegistry;

import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** Name of an instance: the configured one, else application, host and process. */
final class InstanceName {

	private static final int LONGEST_PART = 80;

	/** Files in which Linux has the name of the host. */
	private static final List<Path> FILES = List.of(Path.of("/proc/sys/kernel/hostname"), Path.of("/etc/hostname"));

	private InstanceName() {
	}

	static String of(DistributedLockProperties properties, Environment environment) {
		if (properties.instanceName() != null) {
			return properties.instanceName();
		}
		String application = part(environment.getProperty("spring.application.name", ""));
		String host = part(host(environment, FILES));
		return "%s@%s (%d)".formatted(application.isEmpty() ? "application" : application, host,
				ProcessHandle.current().pid());
	}

	/**
	 * Return the name of the host without asking a name server, which may take seconds.
	 */
	static String host(Environment environment, List<Path> files) {
		return Stream
			.concat(Stream.of("HOSTNAME", "COMPUTERNAME").map(environment::getProperty),
					files.stream().map(InstanceName::content))
			.filter(StringUtils::hasText)
			.findFirst()
			.map(String::strip)
			.orElse("unknown host");
	}

	private static String content(Path file) {
		try {
			return Files.readString(file);
		}
		catch (IOException ex) {
			return "";
		}
	}

	private static String part(String text) {
		String plain = text.replaceAll("\\p{Cntrl}", "?");
		return plain.substring(0, Math.min(plain.length(), LONGEST_PART));
	}

	static void announce(DefaultLockRegistry registry, String name) {
		PropertyRules.named(DistributedLockProperties.PREFIX + ".", () -> {
			registry.announce(name);
			return name;
		});
	}

}

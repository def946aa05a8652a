package io.distributedlock.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.stream.Stream;

import io.distributedlock.engine.DefaultLockRegistry;

import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/** What an instance is called, unless it is configured: application, host and process. */
final class InstanceName {

	private static final int LONGEST_PART = 80;

	private InstanceName() {
	}

	static String of(DistributedLockProperties properties, Environment environment) {
		if (properties.instanceName() != null) {
			return properties.instanceName();
		}
		String application = part(environment.getProperty("spring.application.name", ""));
		String host = part(host(environment));
		return "%s@%s (%d)".formatted(application.isEmpty() ? "application" : application, host,
				ProcessHandle.current().pid());
	}

	/** Whatever the operating system says comes without asking a name server. */
	private static String host(Environment environment) {
		return Stream.of("HOSTNAME", "COMPUTERNAME")
			.map(environment::getProperty)
			.filter(StringUtils::hasText)
			.findFirst()
			.orElseGet(InstanceName::localHost);
	}

	private static String localHost() {
		try {
			return InetAddress.getLocalHost().getHostName();
		}
		catch (UnknownHostException ex) {
			return "unknown host";
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

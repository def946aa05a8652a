package io.distributedlock;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarFile;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.integration.IntegrationLockRegistry;
import io.distributedlock.jdbc.PostgresLockStore;
import io.distributedlock.migration.MigrateRedissonLocks;
import io.distributedlock.redis.RedisLockStore;
import io.distributedlock.redlock.RedlockLockStore;
import io.distributedlock.shedlock.RegistryLockProvider;
import io.distributedlock.test.TestLocks;
import io.distributedlock.test.store.LockStoreContractTests;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Applications that are modules of Java can name those of the library. */
class ModuleNameTests {

	private static final Pattern PROPERTY = Pattern.compile("<automatic.module.name>(.+)</automatic.module.name>");

	static Stream<Arguments> modules() {
		return Stream.of(arguments("io.distributedlock", LockRegistry.class),
				arguments("io.distributedlock.redis", RedisLockStore.class),
				arguments("io.distributedlock.redlock", RedlockLockStore.class),
				arguments("io.distributedlock.jdbc", PostgresLockStore.class),
				arguments("io.distributedlock.shedlock", RegistryLockProvider.class),
				arguments("io.distributedlock.spring", DistributedLock.class),
				arguments("io.distributedlock.integration", IntegrationLockRegistry.class),
				arguments("io.distributedlock.migration", MigrateRedissonLocks.class),
				arguments("io.distributedlock.autoconfigure", DistributedLockAutoConfiguration.class),
				arguments("io.distributedlock.test.store", LockStoreContractTests.class),
				arguments("io.distributedlock.test", TestLocks.class));
	}

	@ParameterizedTest
	@MethodSource("modules")
	void moduleHasANameOfItsOwn(String name, Class<?> type) throws IOException, URISyntaxException {
		Path place = Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
		assertThat(Files.isDirectory(place) ? ofPom(place) : ofJar(place)).isEqualTo(name);
	}

	private static String ofJar(Path jar) throws IOException {
		try (JarFile file = new JarFile(jar.toFile())) {
			return file.getManifest().getMainAttributes().getValue("Automatic-Module-Name");
		}
	}

	/** There is no jar before the phase package. */
	private static String ofPom(Path classes) throws IOException {
		Matcher property = PROPERTY.matcher(Files.readString(classes.resolve("../../pom.xml")));
		return property.find() ? property.group(1) : "none";
	}

}

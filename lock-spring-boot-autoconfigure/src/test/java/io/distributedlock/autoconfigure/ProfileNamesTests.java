package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

import io.distributedlock.LockProfiles;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.ConfigDataApplicationContextInitializer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/** The names of profiles read from real files, as the reference has them. */
class ProfileNamesTests {

	@TempDir
	private Path directory;

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

	@ParameterizedTest
	@CsvSource({ "stock_items,stock_items", "stockItems,stockItems", "stock-items,stock-items",
			"\"[stock_items]\",stock_items", "stock/items,stockitems", "stock items,stockitems",
			"\"stock:items\",stockitems", "größe,gre", "\"[stock/items]\",stock/items", "\"[stock.items]\",stock.items",
			"\"[größe]\",größe" })
	void nameWhenInYamlIs(String written, String name) throws IOException {
		assertFile("application.yml", "distributed-lock:\n  locks:\n    %s:\n      ttl: 7s\n".formatted(written), name);
	}

	@ParameterizedTest
	@CsvSource({ "stock_items,stock_items", "stockItems,stockItems", "[stock_items],stock_items",
			"stock/items,stockitems", "[stock/items],stock/items", "[stock.items],stock.items" })
	void nameWhenInPropertiesIs(String written, String name) throws IOException {
		assertFile("application.properties", "distributed-lock.locks.%s.ttl=7s%n".formatted(written), name);
	}

	@ParameterizedTest
	@CsvSource({ "DISTRIBUTEDLOCK_LOCKS_STOCK_TTL,stock", "DISTRIBUTEDLOCK_LOCKS_STOCKITEMS_TTL,stockitems",
			"DISTRIBUTEDLOCK_LOCKS_STOCK_ITEMS_TTL,", "DISTRIBUTED_LOCK_LOCKS_STOCK_TTL," })
	void nameWhenInAnEnvironmentVariableIs(String variable, String name) {
		String source = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
		this.runner.withPropertyValues("distributed-lock.store=memory")
			.withInitializer((context) -> context.getEnvironment()
				.getPropertySources()
				.replace(source, new SystemEnvironmentPropertySource(source, Map.of(variable, "7s"))))
			.run((context) -> {
				if (name != null) {
					assertThat(context.getBean(LockProfiles.class).names()).containsExactly(name);
				}
				else {
					assertThat(context.getBean(LockProfiles.class).names()).isEmpty();
				}
			});
	}

	private void assertFile(String file, String text, String name) throws IOException {
		Files.writeString(this.directory.resolve(file), text);
		this.runner.withInitializer(new ConfigDataApplicationContextInitializer())
			.withSystemProperties("spring.config.location=file:" + this.directory + "/",
					"distributed-lock.store=memory")
			.run((context) -> assertThat(context.getBean(LockProfiles.class).names()).containsExactly(name));
	}

}

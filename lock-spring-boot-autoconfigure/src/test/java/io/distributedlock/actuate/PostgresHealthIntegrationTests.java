package io.distributedlock.actuate;

import io.distributedlock.autoconfigure.BootTypes;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.autoconfigure.LockHealthAutoConfiguration;
import io.distributedlock.autoconfigure.PostgresDatabase;
import io.distributedlock.jdbc.PostgresSchema;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/** The health of locks in PostgreSQL. */
class PostgresHealthIntegrationTests {

	private final PostgresDatabase database = PostgresDatabase.create();

	@Test
	void healthWhenTheServerAnswersIsUp() {
		this.database.execute(PostgresSchema.of("distributed_lock").ddl());
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(BootTypes.of("jdbc", "DataSourceAutoConfiguration"),
					DistributedLockAutoConfiguration.class, LockHealthAutoConfiguration.class))
			.withPropertyValues(this.database.properties())
			.run((context) -> {
				Health health = context.getBean(LockHealthIndicator.class).health();
				assertThat(health.getStatus()).isEqualTo(Status.UP);
				assertThat(health.getDetails().get("nodes")).asString()
					.startsWith("{PostgreSQL={answeredInMillis=")
					.contains("clockSkewMillis");
			});
	}

}

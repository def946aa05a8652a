package io.distributedlock.autoconfigure;

import java.util.Map;

import io.distributedlock.Patience;
import io.distributedlock.leader.LeaderElection;
import io.distributedlock.leader.LeaderElections;
import org.junit.jupiter.api.Test;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

/** The health of elections. */
class LeaderHealthAutoConfigurationTests {

	private static final String ROLE = "invoices";

	private static final String HEALTH = "leaderHealthIndicator";

	private final ApplicationContextRunner bare = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class,
				LeaderElectionAutoConfiguration.class, LeaderHealthAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=memory");

	private final ApplicationContextRunner runner = this.bare.withUserConfiguration(Invoices.class);

	@Test
	void applicationWithoutElectionsHasNoHealthOfThem() {
		this.bare.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(HEALTH));
	}

	@Test
	void healthIsUpForLeaderAndCandidate() {
		this.runner.run((context) -> {
			LeaderElection leader = context.getBean(LeaderElection.class);
			HealthIndicator indicator = context.getBean(HEALTH, HealthIndicator.class);
			Patience.await().until(leader::isLeader);
			assertUp(indicator.health(), true);
			leader.stop();
			assertUp(indicator.health(), false);
		});
	}

	private static void assertUp(Health health, boolean leads) {
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(((Map<?, ?>) health.getDetails().get(ROLE)).get("leader")).isEqualTo(leads);
	}

	/** As on Spring Boot 3.5, where the classes have other names. */
	@Test
	void healthIsNotThereWhereItIsDisabledOrItsClassesAreNot() {
		this.runner.withPropertyValues("management.health.leader.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(HEALTH));
		this.runner.withClassLoader(new FilteredClassLoader(HealthIndicator.class))
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(HEALTH));
	}

	@Configuration(proxyBeanMethods = false)
	static class Invoices {

		@Bean
		LeaderElection invoices(LeaderElections elections) {
			return elections.create(ROLE);
		}

	}

}

package io.distributedlock.sample.server;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;

class OnNoRedisConfiguredTests {

	private final ApplicationContextRunner context = new ApplicationContextRunner()
		.withUserConfiguration(Embedded.class);

	@Test
	void matchesWhenNothingIsConfigured() {
		this.context.run((started) -> assertThat(started).hasBean("embedded"));
	}

	@Test
	void matchesWhenNoPlaceIsConfigured() {
		this.context.withPropertyValues("spring.data.redis.timeout=2s", "spring.data.redis.repositories.enabled=false")
			.run((started) -> assertThat(started).hasBean("embedded"));
	}

	@ParameterizedTest
	@ValueSource(strings = { "host=h", "port=1", "url=redis://h", "sentinel.nodes=h:1", "sentinel.nodes[0]=h:1",
			"cluster.nodes=h:1", "masterreplica.nodes=h:1" })
	void doesNotMatchWhenPlaceIsConfigured(String property) {
		this.context.withPropertyValues("spring.data.redis." + property)
			.run((started) -> assertThat(started).doesNotHaveBean("embedded"));
	}

	@Configuration(proxyBeanMethods = false)
	@Conditional(OnNoRedisConfigured.class)
	static class Embedded {

		@Bean
		String embedded() {
			return "embedded";
		}

	}

}

package io.distributedlock.interceptor;

import io.distributedlock.Lease;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;

/** Tests that put objects of their own in the place of guarded beans. */
@SpringJUnitConfig
@TestPropertySource(properties = "distributed-lock.store=memory")
class TestDoubleTests {

	@MockitoBean("mocked")
	private Guarded mocked;

	/** There is no other bean of its type. */
	@MockitoBean
	private Created created;

	@MockitoSpyBean("spied")
	private Guarded spied;

	@TestBean(name = "faked", methodName = "fake")
	private Guarded faked;

	@Autowired
	private Guarded real;

	static Guarded fake() {
		return new Guarded();
	}

	/** The start of the context is the actual test. */
	@Test
	void contextWhenBeansAreReplacedStarts() {
		given(this.mocked.guarded("7")).willReturn(true);
		assertThat(this.mocked.guarded("7")).isTrue();
		assertThat(this.created.guarded("7")).isFalse();
		assertThat(this.faked.guarded("7")).isFalse();
	}

	@Test
	void beanWhenItIsSpiedOrRealIsGuarded() {
		assertThat(this.spied.guarded("7")).isTrue();
		assertThat(this.real.guarded("7")).isTrue();
	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
	static class Application {

		@Bean
		Guarded mocked() {
			return new Guarded();
		}

		@Bean
		Guarded spied() {
			return new Guarded();
		}

		@Bean
		Guarded faked() {
			return new Guarded();
		}

		@Bean
		Guarded real() {
			return new Guarded();
		}

	}

	static class Guarded {

		@DistributedLock("#id")
		public boolean guarded(String id) {
			return Lease.current().isPresent();
		}

	}

	static class Created extends Guarded {

	}

}

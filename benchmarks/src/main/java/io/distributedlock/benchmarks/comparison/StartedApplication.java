package io.distributedlock.benchmarks.comparison;

import java.lang.management.ManagementFactory;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import io.distributedlock.benchmarks.protocol.ProcessFigures;
import org.redisson.api.RedissonClient;

import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.integration.redis.util.RedisLockRegistry;

/**
 * A small application that also uses Redis without locks. It prints the cost of its start
 * after its first lock.
 */
public final class StartedApplication {

	private StartedApplication() {
	}

	/**
	 * Start the application.
	 * @param arguments the kind, and host and port of the server
	 */
	public static void main(String[] arguments) {
		SpringApplication application = new SpringApplication(Redis.class, Kind.valueOf(arguments[0]).configuration);
		application.setWebApplicationType(WebApplicationType.NONE);
		application.setBannerMode(Banner.Mode.OFF);
		application.setDefaultProperties(
				Map.of("spring.data.redis.host", arguments[1], "spring.data.redis.port", arguments[2]));
		try (ConfigurableApplicationContext context = application.run()) {
			try (RedisConnection connection = context.getBean(RedisConnectionFactory.class).getConnection()) {
				connection.ping();
			}
			context.getBeansOfType(Protected.class).values().forEach(Protected::run);
			long cpu = TimeUnit.MICROSECONDS.toNanos((long) ProcessFigures.cpuMicros());
			long age = TimeUnit.MILLISECONDS.toNanos(ManagementFactory.getRuntimeMXBean().getUptime());
			System.out.println(WorkerProcess.ANSWER + cpu + " " + age);
		}
		// Threads of drivers may still run.
		System.exit(0);
	}

	/** The library whose locks the application uses, if any. */
	enum Kind {

		NONE("no locks, one connection", Redis.class),

		OWN("this library, annotated method", Own.class),

		REDISSON(Library.REDISSON.label(), Redisson.class),

		SPRING(Library.SPRING.label(), SpringIntegration.class);

		private final String label;

		private final Class<?> configuration;

		Kind(String label, Class<?> configuration) {
			this.label = label;
			this.configuration = configuration;
		}

		static Map<String, Kind> byLabel() {
			Map<String, Kind> kinds = new LinkedHashMap<>();
			for (Kind kind : values()) {
				kinds.put(kind.label, kind);
			}
			return kinds;
		}

	}

	/** An action under a lock. */
	interface Protected {

		void run();

		static Protected by(Lock lock) {
			return () -> {
				lock.lock();
				lock.unlock();
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(DataRedisAutoConfiguration.class)
	static class Redis {

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration(DistributedLockAutoConfiguration.class)
	static class Own {

		@Bean
		Protected service() {
			return new Service();
		}

	}

	static class Service implements Protected {

		@Override
		@DistributedLock(key = "'first'")
		public void run() {
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class Redisson {

		@Bean(destroyMethod = "shutdown")
		RedissonClient client(Environment environment) {
			return RedissonCandidate.client(environment.getRequiredProperty("spring.data.redis.host"),
					environment.getRequiredProperty("spring.data.redis.port"));
		}

		@Bean
		Protected service(RedissonClient client) {
			return Protected.by(client.getLock("first"));
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SpringIntegration {

		@Bean(destroyMethod = "destroy")
		RedisLockRegistry registry(RedisConnectionFactory connections) {
			RedisLockRegistry registry = new RedisLockRegistry(connections, "locks");
			registry.setRedisLockType(RedisLockRegistry.RedisLockType.PUB_SUB_LOCK);
			return registry;
		}

		@Bean
		Protected service(RedisLockRegistry registry) {
			return Protected.by(registry.obtain("first"));
		}

	}

}

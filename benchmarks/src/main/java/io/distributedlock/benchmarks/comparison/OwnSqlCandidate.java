package io.distributedlock.benchmarks.comparison;

import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.function.Consumer;

import io.distributedlock.LockRegistry;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.env.MapPropertySource;

/**
 * This library on PostgreSQL, as Spring Boot configures it.
 *
 * @param context the application
 * @param registry its registry
 */
record OwnSqlCandidate(AnnotationConfigApplicationContext context, LockRegistry registry) implements Candidate {

	static OwnSqlCandidate of(Place place, boolean durable) {
		AnnotationConfigApplicationContext context = start(place, durable, (beans) -> {
		});
		return new OwnSqlCandidate(context, context.getBean(LockRegistry.class));
	}

	/** Start an application with some beans. */
	static AnnotationConfigApplicationContext start(Place place, boolean durable,
			Consumer<AnnotationConfigApplicationContext> beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment()
			.getPropertySources()
			.addFirst(new MapPropertySource("database",
					Map.of("distributed-lock.store", "postgresql", "distributed-lock.postgresql.url", place.database(),
							"distributed-lock.postgresql.durable", durable, "distributed-lock.ttl", place.lease(),
							"distributed-lock.shutdown.grace-period", "0s")));
		beans.accept(context);
		context.register(DistributedLockAutoConfiguration.class);
		context.refresh();
		return context;
	}

	@Override
	public Lock lock(String key) {
		return this.registry.getLock(key);
	}

	@Override
	public void close() {
		this.context.close();
	}

}

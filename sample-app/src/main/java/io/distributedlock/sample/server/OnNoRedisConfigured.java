package io.distributedlock.sample.server;

import java.util.Map;
import java.util.Set;

import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if no property has the address of a Redis. An application that wants the one at
 * the default address sets {@code spring.data.redis.host=localhost}.
 */
final class OnNoRedisConfigured implements Condition {

	private static final Set<String> PLACES = Set.of("host", "port", "url", "sentinel", "cluster", "masterreplica");

	@Override
	public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
		BindResult<Map<String, Object>> configured = Binder.get(context.getEnvironment())
			.bind("spring.data.redis", Bindable.mapOf(String.class, Object.class));
		return !configured.isBound() || configured.get().keySet().stream().noneMatch(PLACES::contains);
	}

}

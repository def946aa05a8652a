package io.distributedlock.autoconfigure;

import java.util.Map;
import java.util.Objects;

import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Compares the chosen store with the name in the annotation. */
final class OnLockStoreCondition extends SpringBootCondition {

	@Override
	public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
		Map<String, ?> attributes = Objects
			.requireNonNull(metadata.getAnnotationAttributes(ConditionalOnLockStore.class.getName()));
		String name = String.valueOf(attributes.get("value"));
		String chosen = context.getEnvironment()
			.getProperty(LockStoreTypes.PROPERTY, DistributedLockProperties.DEFAULT_STORE);
		return new ConditionOutcome(chosen.equalsIgnoreCase(name),
				ConditionMessage.forCondition(ConditionalOnLockStore.class, name)
					.because(LockStoreTypes.PROPERTY + " is '" + chosen + "'"));
	}

}

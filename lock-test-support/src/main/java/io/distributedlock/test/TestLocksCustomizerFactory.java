package io.distributedlock.test;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.TestContextAnnotationUtils;

/** Looks for {@link AutoConfigureTestLocks}. Registered in {@code spring.factories}. */
final class TestLocksCustomizerFactory implements ContextCustomizerFactory {

	@Override
	public @Nullable ContextCustomizer createContextCustomizer(Class<?> testClass,
			List<ContextConfigurationAttributes> attributes) {
		AutoConfigureTestLocks annotation = TestContextAnnotationUtils.findMergedAnnotation(testClass,
				AutoConfigureTestLocks.class);
		return (annotation != null) ? new TestLocksCustomizer(annotation.replace()) : null;
	}

}

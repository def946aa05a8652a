package io.distributedlock.autoconfigure;

import org.junit.jupiter.api.Test;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

import static org.assertj.core.api.Assertions.assertThat;

class LockResourcesRuntimeHintsTests {

	@Test
	void hintsWhenRegisteredCoverEveryScript() throws Exception {
		RuntimeHints hints = new RuntimeHints();
		new LockResourcesRuntimeHints().registerHints(hints, getClass().getClassLoader());
		Resource[] scripts = new PathMatchingResourcePatternResolver()
			.getResources("classpath*:io/distributedlock/**/*.lua");
		assertThat(scripts).isNotEmpty()
			.allSatisfy((script) -> assertThat(
					RuntimeHintsPredicates.resource().forResource("io/distributedlock/redis/" + script.getFilename()))
				.accepts(hints));
	}

	@Test
	void hintsWhenTheAutoConfigurationIsProcessedAreImported() {
		assertThat(DistributedLockAutoConfiguration.class.getAnnotation(ImportRuntimeHints.class).value())
			.contains(LockResourcesRuntimeHints.class);
	}

}

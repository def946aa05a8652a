package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import io.distributedlock.engine.timer.Ticker;
import io.distributedlock.memory.MemoryLocks;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/** The library's own locks are none of a user's business. */
@ExtendWith(OutputCaptureExtension.class)
class ContentionWarmUpTests {

	/** A process that got no processor time was told that its lock 'warm-up' was lost. */
	@Test
	void warmUpWhenTheProcessPausesIsInvisible(CapturedOutput output) {
		AtomicInteger commands = new AtomicInteger();
		Ticker paused = () -> System.nanoTime()
				+ ((commands.getAndIncrement() > 0) ? Duration.ofMinutes(5).toNanos() : 0);
		ContentionWarmUp.run(new MemoryLocks(paused, Duration.ofMinutes(1)));
		assertThat(commands).hasPositiveValue();
		assertThat(output).doesNotContain("warm-up");
	}

}

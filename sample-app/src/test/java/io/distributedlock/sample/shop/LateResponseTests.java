package io.distributedlock.sample.shop;

import java.util.concurrent.Callable;

import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.autoconfigure.DistributedLockAutoConfiguration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.http.ResponseEntity;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;

/** Responses that Spring MVC writes after the method has returned, without its lock. */
class LateResponseTests {

	private final ApplicationContextRunner context = new ApplicationContextRunner()
		.withPropertyValues("distributed-lock.store=memory")
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class));

	@ParameterizedTest
	@ValueSource(
			classes = { Deferred.class, Task.class, Streamed.class, StreamedEntity.class, Events.class, Called.class })
	void responseWhenWrittenLaterStopsTheStart(Class<?> bean) {
		this.context.withBean(bean)
			.run((context) -> assertThat(context.getStartupFailure()).rootCause()
				.hasMessageContaining("whose work starts after the method has returned"));
	}

	static class Deferred {

		@DistributedLock
		public DeferredResult<String> answer() {
			return new DeferredResult<>();
		}

	}

	static class Task {

		@DistributedLock
		public WebAsyncTask<String> answer() {
			return new WebAsyncTask<>(() -> "late");
		}

	}

	static class Streamed {

		@DistributedLock
		public StreamingResponseBody answer() {
			return (output) -> output.write(1);
		}

	}

	static class StreamedEntity {

		@DistributedLock
		public ResponseEntity<StreamingResponseBody> answer() {
			return ResponseEntity.ok((output) -> output.write(1));
		}

	}

	static class Events {

		@DistributedLock
		public SseEmitter answer() {
			return new SseEmitter();
		}

	}

	static class Called {

		@DistributedLock
		public Callable<String> answer() {
			return () -> "late";
		}

	}

}

package io.distributedlock.engine;

import java.time.Duration;
import java.util.Map;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.LockStoreException.Kind;
import io.distributedlock.engine.ScriptedStore.Command;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

import static org.assertj.core.api.Assertions.assertThat;

/** The fields that structured formats of the log have of a lock. */
class LogLineFieldsTests {

	private static final Duration TTL = Duration.ofSeconds(3);

	private final ManualInstance instance = new ManualInstance();

	private final Logger logger = (Logger) LoggerFactory
		.getLogger("io.distributedlock.engine.internal.report.Warnings");

	private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

	@BeforeEach
	void listen() {
		this.lines.start();
		this.logger.addAppender(this.lines);
	}

	@AfterEach
	void leave() {
		this.logger.detachAppender(this.lines);
		MDC.clear();
	}

	@Test
	void lossHasNameTokenAndCause() {
		MDC.put("lock.name", "of the application");
		Lease lease = this.instance.acquire(LockRequest.of("stock", "k").ttl(TTL)).join();
		this.instance.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		this.instance.advance(TTL);
		assertThat(this.lines.list).singleElement().satisfies((line) -> {
			assertThat(line.getFormattedMessage()).contains("stock:k", "The last renewal failed: UNAVAILABLE says");
			assertThat(line.getMDCPropertyMap()).containsAllEntriesOf(Map.of("lock.name", "stock", "lock.token",
					String.valueOf(lease.fencingToken()), "lock.cause", "UNAVAILABLE says the store"));
		});
		assertThat(MDC.getCopyOfContextMap()).containsExactly(Map.entry("lock.name", "of the application"));
	}

	/** Plain formats of the log write fields as they are. */
	@Test
	void lossOfHostileNameHasFieldsOfOneShortLine() {
		this.instance.acquire(LockRequest.of("k").name("a\nb\u2028" + "x".repeat(10_000)).ttl(TTL)).join();
		this.instance.store.failAll(Command.RENEW, Kind.UNAVAILABLE);
		this.instance.advance(TTL);
		assertThat(this.lines.list).singleElement().satisfies((line) -> {
			assertThat(line.getMDCPropertyMap().get("lock.name")).startsWith("a\\u000Ab\\u2028x").hasSizeLessThan(300);
			assertThat(line.getFormattedMessage()).contains("'a\\u000Ab\\u2028x").doesNotContain("\n", "\u2028");
		});
	}

}

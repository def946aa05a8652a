package io.distributedlock.engine.simulation;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.distributedlock.engine.SimulatedEngine;
import org.slf4j.LoggerFactory;

/**
 * The log of the engine: it ignores the thousands of warnings of outages and losses, and
 * keeps errors, which must not occur.
 */
final class SimulationLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {

	private final Logger logger = (Logger) LoggerFactory.getLogger(SimulatedEngine.class.getPackageName());

	private final Level level = this.logger.getLevel();

	private String error;

	SimulationLog() {
		this.logger.setLevel(Level.ERROR);
		this.logger.setAdditive(false);
		this.logger.addAppender(this);
		start();
	}

	@Override
	protected void append(ILoggingEvent event) {
		this.error = event.getFormattedMessage()
				+ ((event.getThrowableProxy() != null) ? ": " + event.getThrowableProxy().getMessage() : "");
	}

	/** The last error since the last call, or {@code null}. */
	String takeError() {
		String last = this.error;
		this.error = null;
		return last;
	}

	@Override
	public void close() {
		this.logger.detachAppender(this);
		this.logger.setAdditive(true);
		this.logger.setLevel(this.level);
	}

}

package io.distributedlock;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.slf4j.LoggerFactory;

/** The lines that the library writes to the log during a test. */
public final class CapturedLog extends AppenderBase<ILoggingEvent> implements CharSequence {

	private final Logger logger = (Logger) LoggerFactory.getLogger("io.distributedlock");

	private final StringBuffer text = new StringBuffer();

	@Override
	protected void append(ILoggingEvent event) {
		this.text.append(" %s %s%n".formatted(event.getLevel(), event.getFormattedMessage()));
		if (event.getThrowableProxy() != null) {
			this.text.append(ThrowableProxyUtil.asString(event.getThrowableProxy()));
		}
	}

	@Override
	public int length() {
		return this.text.length();
	}

	@Override
	public char charAt(int index) {
		return this.text.charAt(index);
	}

	@Override
	public CharSequence subSequence(int start, int end) {
		return this.text.subSequence(start, end);
	}

	@Override
	public String toString() {
		return this.text.toString();
	}

	/** Captures the log of each test, which takes it as a parameter. */
	public static final class Extension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {

		private final CapturedLog log = new CapturedLog();

		@Override
		public void beforeEach(ExtensionContext context) {
			this.log.text.setLength(0);
			this.log.start();
			this.log.logger.addAppender(this.log);
		}

		@Override
		public void afterEach(ExtensionContext context) {
			this.log.logger.detachAppender(this.log);
		}

		@Override
		public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
			return parameter.getParameter().getType() == CapturedLog.class;
		}

		@Override
		public CapturedLog resolveParameter(ParameterContext parameter, ExtensionContext context) {
			return this.log;
		}

	}

}

package io.distributedlock.sample.trace;

import java.util.Collection;
import java.util.concurrent.TimeUnit;

import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Component;

/** Logs each span when it has ended: trace, span, its parent, name, time, attributes. */
@Component
@Profile("!instance")
class LoggedTraces implements SpanExporter {

	private static final Log logger = LogFactory.getLog(LoggedTraces.class);

	@Override
	public CompletableResultCode export(Collection<SpanData> spans) {
		spans.stream().filter(LoggedTraces::isTold).forEach((span) -> logger.info(line(span)));
		return CompletableResultCode.ofSuccess();
	}

	/**
	 * Return whether to log a span. Redis commands without a parent span, such as
	 * renewals, are left out.
	 */
	private static boolean isTold(SpanData span) {
		return span.getKind() != SpanKind.CLIENT || span.getParentSpanContext().isValid();
	}

	private static String line(SpanData span) {
		long micros = TimeUnit.NANOSECONDS.toMicros(span.getEndEpochNanos() - span.getStartEpochNanos());
		return "trace=%s span=%s parent=%s name='%s' micros=%d %s".formatted(span.getTraceId(), span.getSpanId(),
				span.getParentSpanId(), span.getName(), micros, span.getAttributes().asMap());
	}

	@Override
	public CompletableResultCode flush() {
		return CompletableResultCode.ofSuccess();
	}

	@Override
	public CompletableResultCode shutdown() {
		return CompletableResultCode.ofSuccess();
	}

}

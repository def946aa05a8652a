package io.distributedlock.interceptor;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Objects;
import java.util.function.UnaryOperator;

import io.distributedlock.text.LockLog;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.format.annotation.DurationFormat;
import org.springframework.format.datetime.standard.DurationFormatterUtils;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.scheduling.annotation.Schedules;
import org.springframework.scheduling.support.CronExpression;

/** Warns of a job whose lock is kept until its next run or longer. */
final class ScheduleCheck {

	private static final LockLog logger = LockLog.of(ScheduleCheck.class);

	/** Enough to find the shortest gap of expressions such as those of working days. */
	private static final int RUNS = 100;

	/** An arbitrary date, but not today's, so that each start logs the same. */
	private static final LocalDateTime FIRST = LocalDateTime.of(2025, 1, 1, 0, 0);

	private final UnaryOperator<String> placeholders;

	ScheduleCheck(UnaryOperator<String> placeholders) {
		this.placeholders = placeholders;
	}

	void check(MethodLockSpec spec) {
		Duration kept = Objects.requireNonNull(spec.options().keepFor());
		if (kept.isZero()) {
			return;
		}
		for (Scheduled job : AnnotatedElementUtils.getMergedRepeatableAnnotations(spec.method(), Scheduled.class,
				Schedules.class)) {
			Duration period = period(job);
			if (period != null && kept.compareTo(period) >= 0) {
				logger.warn(("%s is scheduled every %s, but keeps its lock for %s from each acquisition on,"
						+ " so runs find it taken. If each run is meant to take place, let keepFor be shorter than the"
						+ " period, at least by what the starts of a run on several instances differ")
					.formatted(spec, DurationFormatterUtils.print(period, DurationFormat.Style.COMPOSITE),
							DurationFormatterUtils.print(kept, DurationFormat.Style.COMPOSITE)));
			}
		}
	}

	/** The period, {@code null} if the job is disabled or refused by Spring. */
	private @Nullable Duration period(Scheduled job) {
		try {
			String cron = this.placeholders.apply(job.cron());
			if (!cron.isBlank()) {
				return cron.equals(Scheduled.CRON_DISABLED) ? null : shortestGap(cron, zone(job));
			}
			Duration rate = duration(job, job.fixedRate(), job.fixedRateString());
			return (rate != null) ? rate : duration(job, job.fixedDelay(), job.fixedDelayString());
		}
		catch (IllegalArgumentException | DateTimeException ex) {
			logger.trace("The schedule cannot be read", ex);
			return null;
		}
	}

	private ZoneId zone(Scheduled job) {
		String zone = this.placeholders.apply(job.zone());
		return zone.isBlank() ? ZoneId.systemDefault() : ZoneId.of(zone);
	}

	private @Nullable Duration duration(Scheduled job, long number, String text) {
		if (number >= 0) {
			return Duration.of(number, job.timeUnit().toChronoUnit());
		}
		String value = this.placeholders.apply(text);
		return value.isBlank() ? null : DurationFormatterUtils.detectAndParse(value,
				DurationFormat.Unit.fromChronoUnit(job.timeUnit().toChronoUnit()));
	}

	private static @Nullable Duration shortestGap(String cron, ZoneId zone) {
		CronExpression expression = CronExpression.parse(cron);
		Duration shortest = null;
		ZonedDateTime last = expression.next(FIRST.atZone(zone));
		for (int i = 0; last != null && i < RUNS; i++) {
			ZonedDateTime next = expression.next(last);
			Duration gap = (next != null) ? Duration.between(last, next) : null;
			shortest = (shortest == null || gap != null && gap.compareTo(shortest) < 0) ? gap : shortest;
			last = next;
		}
		return shortest;
	}

}

package io.distributedlock.observation;

import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

import io.distributedlock.LockStoreException;
import io.distributedlock.LossReason;
import io.distributedlock.event.AcquiredFrom;
import io.distributedlock.event.LockStatistics;
import io.distributedlock.observation.LockMeter.Tag;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Binds the {@linkplain LockMeter meters} of lock registries. Values are computed when
 * they are scraped, and cost nothing otherwise. Keep it for as long as the meters are to
 * be there. Thread-safe.
 *
 * @since 0.1.0
 */
public final class LockMeters implements MeterBinder {

	private final Map<String, LockStatistics> registries;

	/**
	 * Create a binder.
	 * @param registries the statistics of registries, by the name of each
	 */
	public LockMeters(Map<String, LockStatistics> registries) {
		this.registries = Map.copyOf(registries);
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		this.registries.forEach(
				(name, statistics) -> new Binding(registry, statistics, Tags.of(Tag.REGISTRY.asString(), name)).bind());
	}

	private static String value(Enum<?> constant) {
		return constant.name().toLowerCase(Locale.ROOT);
	}

	/** The meters of one registry of locks in one registry of meters. */
	private record Binding(MeterRegistry meters, LockStatistics statistics, Tags tags, Map<String, Meter> nodes) {

		Binding(MeterRegistry meters, LockStatistics statistics, Tags tags) {
			this(meters, statistics, tags, new ConcurrentHashMap<>());
		}

		void bind() {
			bindGauges();
			count(LockMeter.ENDANGERED, this.tags, LockStatistics::endangered);
			count(LockMeter.REFUSED_COMMITS, this.tags, LockStatistics::refusedCommits);
			count(LockMeter.LEAKED, this.tags, LockStatistics::leaked);
			count(LockMeter.DROPPED_EVENTS, this.tags, LockStatistics::droppedEvents);
			count(LockMeter.RENEWALS, with(Tag.OUTCOME, "confirmed"), LockStatistics::renewals);
			count(LockMeter.RENEWALS, with(Tag.OUTCOME, "failed"), LockStatistics::failedRenewals);
			for (AcquiredFrom from : new AcquiredFrom[] { AcquiredFrom.THIS_INSTANCE, AcquiredFrom.OTHER_INSTANCE }) {
				count(LockMeter.HAND_OFFS, with(Tag.FROM, value(from)), (numbers) -> numbers.handOffs(from));
			}
			for (LossReason reason : LossReason.values()) {
				count(LockMeter.LOST, with(Tag.REASON, value(reason)), (numbers) -> numbers.lost(reason));
			}
			for (LockStoreException.Kind kind : LockStoreException.Kind.values()) {
				count(LockMeter.STORE_ERRORS, with(Tag.KIND, value(kind)), (numbers) -> numbers.storeErrors(kind));
			}
		}

		private void bindGauges() {
			Gauge.builder(LockMeter.HELD.getName(), this.statistics, this::held)
				.description(LockMeter.HELD.getDescription())
				.tags(this.tags)
				.register(this.meters);
			Gauge.builder(LockMeter.WAITING.getName(), this.statistics, LockStatistics::waiting)
				.description(LockMeter.WAITING.getDescription())
				.tags(this.tags)
				.register(this.meters);
			time(LockMeter.OLDEST_WAIT, this.tags, (numbers) -> numbers.oldestWait().toNanos());
			bindNodes(this.statistics);
		}

		/** The number of held locks. Each reading also updates the nodes of a cluster. */
		private double held(LockStatistics numbers) {
			bindNodes(numbers);
			return numbers.held();
		}

		private void bindNodes(LockStatistics numbers) {
			Set<String> there = numbers.sinceLastAnswer().keySet();
			for (String node : there) {
				this.nodes.computeIfAbsent(node, (added) -> time(LockMeter.LAST_ANSWER, with(Tag.NODE, added),
						(current) -> age(current, added)));
			}
			this.nodes.keySet().stream().filter((node) -> !there.contains(node)).forEach(this::unbind);
		}

		private void unbind(String node) {
			Meter left = this.nodes.remove(node);
			if (left != null) {
				this.meters.remove(left);
			}
		}

		/** The time since the last answer, NaN for a node that is leaving. */
		private static double age(LockStatistics numbers, String node) {
			Duration age = numbers.sinceLastAnswer().get(node);
			return (age != null) ? age.toNanos() : Double.NaN;
		}

		private Tags with(Tag tag, String value) {
			return this.tags.and(tag.asString(), value);
		}

		private Meter time(LockMeter meter, Tags tags, ToDoubleFunction<LockStatistics> nanos) {
			return TimeGauge.builder(meter.getName(), this.statistics, TimeUnit.NANOSECONDS, nanos)
				.description(meter.getDescription())
				.tags(tags)
				.register(this.meters);
		}

		private void count(LockMeter meter, Tags tags, ToDoubleFunction<LockStatistics> number) {
			FunctionCounter.builder(meter.getName(), this.statistics, number)
				.description(meter.getDescription())
				.tags(tags)
				.register(this.meters);
		}

	}

}

package io.distributedlock.observation;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CancellationException;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.distributedlock.LockMode;
import io.distributedlock.LockNotAcquiredException;
import io.distributedlock.LockStoreException;
import io.distributedlock.event.LockStatistics;
import io.distributedlock.leader.LeaderElections;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * The meters of locks in Prometheus, with histograms: a scrape of Micrometer's own
 * registry.
 */
final class PublishedMeters {

	private static final Pattern FAMILY = Pattern.compile("(?m)^# TYPE (\\w+) ");

	private static final Pattern SAMPLE = Pattern.compile("(?m)^(\\w+)\\{(.*)} \\S+$");

	private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

	private final Set<String> families;

	private final Map<String, Map<String, Set<String>>> samples = new HashMap<>();

	private PublishedMeters(String scrape) {
		this.families = FAMILY.matcher(scrape)
			.results()
			.map((family) -> family.group(1))
			.collect(Collectors.toCollection(TreeSet::new));
		SAMPLE.matcher(scrape).results().forEach(this::add);
	}

	static PublishedMeters scrape() {
		PrometheusMeterRegistry meters = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		meters.config().meterFilter(histograms());
		LockStatistics statistics = mock(LockStatistics.class);
		given(statistics.oldestWait()).willReturn(Duration.ZERO);
		given(statistics.sinceLastAnswer()).willReturn(Map.of("redis:6379", Duration.ZERO));
		LockMeters binder = new LockMeters(Map.of("registry", statistics));
		binder.bindTo(meters);
		LeaderMeters leaders = new LeaderMeters(List.of(new LeaderElections(mock()).create("role")));
		leaders.bindTo(meters);
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(meters));
		observe(new MicrometerLockObserver(observations));
		return new PublishedMeters(meters.scrape());
	}

	private static void observe(MicrometerLockObserver observer) {
		waiting(observer).acquired(1).released();
		waiting(observer).failed(new LockNotAcquiredException("key", null, Duration.ZERO));
		waiting(observer).failed(new LockStoreException(LockStoreException.Kind.UNAVAILABLE, "away", null));
		waiting(observer).failed(new CancellationException());
	}

	private static MicrometerLockObserver.Wait waiting(MicrometerLockObserver observer) {
		return observer.waiting("name", List.of("key"), LockMode.EXCLUSIVE);
	}

	private static MeterFilter histograms() {
		return new MeterFilter() {

			@Override
			public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
				return DistributionStatisticConfig.builder().percentilesHistogram(true).build().merge(config);
			}

		};
	}

	private void add(MatchResult sample) {
		Map<String, Set<String>> labels = this.samples.computeIfAbsent(sample.group(1), (name) -> new HashMap<>());
		LABEL.matcher(sample.group(2))
			.results()
			.forEach((label) -> labels.computeIfAbsent(label.group(1), (name) -> new HashSet<>()).add(label.group(2)));
	}

	/**
	 * Meters, each under one name, without those that Micrometer adds to timers: the
	 * longest time, and the calls that have not ended yet.
	 */
	Set<String> families() {
		return this.families.stream()
			.filter((name) -> !name.endsWith("_max") && !name.contains("_active_"))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	/** Names of time series. */
	Set<String> names() {
		return this.samples.keySet();
	}

	/** The labels of a time series, each with the values that it has had. */
	Map<String, Set<String>> labels(String name) {
		return this.samples.getOrDefault(name, Map.of());
	}

}

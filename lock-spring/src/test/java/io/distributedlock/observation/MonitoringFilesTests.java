package io.distributedlock.observation;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.jayway.jsonpath.DocumentContext;
import com.jayway.jsonpath.JsonPath;
import io.distributedlock.Documents;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.yaml.snakeyaml.Yaml;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The dashboard and the alert rules ask for meters that the library publishes, and the
 * dashboard leaves none out. That the expressions work, {@code monitoring/try.sh} tries
 * on a real Prometheus.
 */
class MonitoringFilesTests {

	private static final Path FOLDER = Path.of("../monitoring");

	private static final Path PAGE = Documents.file("monitoring.md");

	/** The labels that Prometheus adds itself. */
	private static final Set<String> OF_THE_TARGET = Set.of("job", "instance");

	private static final Pattern NAME = Pattern.compile("\\bdistributed_lock_\\w+");

	private static final Pattern COMPARED = Pattern.compile("(\\w+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");

	private static final Pattern GROUPED = Pattern
		.compile("\\b(?:by|without|on|ignoring|group_left|label_values\\([^,]*,)\\s*\\(?([\\w, ]*)\\)");

	private static final Pattern SHOWN = Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?(\\w+)\\s*}}");

	private static final PublishedMeters PUBLISHED = PublishedMeters.scrape();

	static Stream<String> expressions() throws IOException {
		List<String> variables = dashboard().read("$.templating.list[?(@.type == 'query')].definition");
		List<String> alerts = yaml("alerts.yml").read("$.groups[*].rules[*].expr");
		return Stream.of(panelExpressions(), variables, alerts).flatMap(List::stream);
	}

	private static List<String> panelExpressions() throws IOException {
		return dashboard().read("$.panels[*].targets[*].expr");
	}

	private static DocumentContext dashboard() throws IOException {
		return JsonPath.parse(FOLDER.resolve("grafana-dashboard.json").toFile());
	}

	private static DocumentContext yaml(String file) throws IOException {
		try (Reader reader = Files.newBufferedReader(FOLDER.resolve(file))) {
			Object content = new Yaml().load(reader);
			return JsonPath.parse(content);
		}
	}

	private static Set<String> names(String expression) {
		return NAME.matcher(expression).results().map((name) -> name.group()).collect(Collectors.toSet());
	}

	/** The labels of all time series of an expression, with their values. */
	private static Map<String, Set<String>> labels(String expression) {
		Map<String, Set<String>> labels = new HashMap<>();
		names(expression).forEach((name) -> PUBLISHED.labels(name)
			.forEach((label, values) -> labels.computeIfAbsent(label, (it) -> new HashSet<>()).addAll(values)));
		OF_THE_TARGET.forEach((label) -> labels.put(label, Set.of()));
		return labels;
	}

	@ParameterizedTest
	@MethodSource("expressions")
	void expressionAsksForWhatIsPublished(String expression) {
		assertThat(PUBLISHED.names()).containsAll(names(expression));
		assertThat(names(expression)).isNotEmpty();
		Map<String, Set<String>> labels = labels(expression);
		assertThat(grouped(expression)).isSubsetOf(labels.keySet());
		COMPARED.matcher(expression).results().forEach((compared) -> {
			assertThat(labels).containsKey(compared.group(1));
			if (compared.group(2).equals("=")) {
				assertThat(labels.get(compared.group(1))).contains(compared.group(3));
			}
		});
	}

	private static List<String> grouped(String expression) {
		return GROUPED.matcher(expression)
			.results()
			.flatMap((list) -> Stream.of(list.group(1).split(",")))
			.map(String::strip)
			.filter((label) -> !label.isEmpty())
			.toList();
	}

	@Test
	void meterIsOnAPanel() throws IOException {
		Set<String> shown = panelExpressions().stream()
			.flatMap((expression) -> names(expression).stream())
			.map((name) -> name.replaceFirst("_(count|sum|bucket)$", ""))
			.collect(Collectors.toSet());
		assertThat(PUBLISHED.families()).hasSize(LockMeter.values().length + LockObservation.values().length)
			.allSatisfy((family) -> assertThat(shown).contains(family));
	}

	@Test
	void panelSaysWhatIsNormalAndNamesLabelsThatThereAre() throws IOException {
		List<String> titles = dashboard().read("$.panels[?(@.type != 'row')].title");
		List<String> descriptions = dashboard().read("$.panels[?(@.type != 'row')].description");
		assertThat(descriptions).hasSameSizeAs(titles).allSatisfy((it) -> assertThat(it).contains("Normal: "));
		List<Map<String, String>> targets = dashboard().read("$.panels[*].targets[*]");
		assertThat(targets).allSatisfy((target) -> assertThat(shown(target.get("legendFormat")))
			.isSubsetOf(labels(target.get("expr")).keySet()));
		List<Integer> ids = dashboard().read("$.panels[*].id");
		assertThat(ids).doesNotHaveDuplicates();
	}

	private static List<String> shown(String text) {
		return SHOWN.matcher(text).results().map((label) -> label.group(1)).toList();
	}

	@Test
	void alertHasASeverityARemedyAndASectionOfThePage() throws IOException {
		List<String> headings = Files.readAllLines(PAGE);
		List<Map<String, Object>> alerts = yaml("alerts.yml").read("$.groups[*].rules[*]");
		assertThat(alerts).isNotEmpty().allSatisfy((alert) -> {
			String name = (String) alert.get("alert");
			DocumentContext rule = JsonPath.parse(alert);
			assertThat(rule.<String>read("$.labels.severity")).isIn("critical", "warning");
			Map<String, String> annotations = rule.read("$.annotations");
			assertThat(annotations).containsOnlyKeys("summary", "description", "remedy", "runbook")
				.containsEntry("runbook", "docs/monitoring.md#" + name.toLowerCase(Locale.ROOT));
			assertThat(shown(String.join("", annotations.values())))
				.isSubsetOf(labels((String) alert.get("expr")).keySet());
			assertThat(headings).contains("### " + name);
		});
	}

	@Test
	void alertIsTestedWithSeriesInWhichItFiresAndInWhichItMustNot() throws IOException {
		List<String> alerts = yaml("alerts.yml").read("$.groups[*].rules[*].alert");
		List<Map<String, Object>> cases = yaml("alerts.test.yml").read("$.tests[*].alert_rule_test[*]");
		Map<Boolean, List<String>> tested = new HashMap<>(Map.of(true, new ArrayList<>(), false, new ArrayList<>()));
		cases.forEach((it) -> tested.get(((List<?>) it.get("exp_alerts")).isEmpty()).add((String) it.get("alertname")));
		assertThat(tested.get(false)).containsAll(alerts);
		assertThat(tested.get(true)).containsAll(alerts);
	}

}

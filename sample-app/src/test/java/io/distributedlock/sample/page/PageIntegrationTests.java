package io.distributedlock.sample.page;

import java.time.Duration;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

import io.distributedlock.sample.SampleApplication;
import io.distributedlock.sample.sale.Locks;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** The page and its actions, over HTTP as a browser uses them. */
@ExtendWith(OutputCaptureExtension.class)
class PageIntegrationTests {

	private static ConfigurableApplicationContext shop;

	private static Board board;

	@BeforeAll
	static void start() throws Exception {
		shop = SpringApplication.run(SampleApplication.class, "--flash-sale.run=false", "--server.port=0",
				"--flash-sale.threads=8");
		board = new Board("http://127.0.0.1:" + shop.getEnvironment().getRequiredProperty("local.server.port") + "/");
	}

	@AfterAll
	static void stop() {
		shop.close();
		board.close();
	}

	/**
	 * All stories share one sale, because instances take seconds to start. They are those
	 * that the documents tell, and the sale goes on to its end after each. It is slow
	 * enough for all of them: a notification of a loss may take two seconds, in which
	 * others buy.
	 */
	@Test
	@Timeout(600)
	void saleWhenFaultsMeetItsHoldersIsOversoldWithoutTheLockOnly() throws Exception {
		assertThat(board.start(700, 250, 50, true).statusCode()).isEqualTo(202);
		board.await((seen) -> selling(seen, "without"));
		assertThat(board.start(1, 1, 0, false).statusCode()).isEqualTo(409);
		board.await((seen) -> selling(seen, "with"));
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.until(() -> json("actuator/locks/purchase?key=ticket").at("/store/locked").asBoolean());
		assertThat(told(Fault.FREEZE, 1)).isEqualTo("holds holds fault next woke lost refused end");
		assertThat(told(Fault.CUT, 2)).isEqualTo("holds holds fault lost next refused end");
		assertThat(told(Fault.RESTART_REDIS, 1)).isEqualTo("holds holds fault next lost refused end");
		assertThat(told(Fault.KILL, 2)).isEqualTo("holds holds fault next end");
		JsonNode seen = board.await((done) -> done(done, "with"));
		assertThat(seen.at("/without/figures/oversold").asInt()).isPositive();
		JsonNode figures = seen.at("/with/figures");
		assertThat(figures.get("oversold").asInt()).isZero();
		assertThat(figures.get("orders").asInt()).isEqualTo(250);
		assertThat(figures.get("left").asInt()).isZero();
		assertThat(figures.get("duplicates").asInt()).isZero();
		assertThat(figures.get("fence").asString()).hasSizeGreaterThan(10);
		assertThat(seen.at("/with/instances/1/state").asString()).isEqualTo("killed");
		assertThat(handOffs(seen)).isGreaterThanOrEqualTo(250);
		assertThat(seen.at("/with/handOffs/lost").asInt()).isGreaterThanOrEqualTo(Fault.values().length);
	}

	/** The application looks at no token: the fence of its row stays at zero. */
	@Test
	@Timeout(600)
	void saleWhenTheDatabaseHasTheLocksRefusesTheLateCommit() throws Exception {
		assertThat(board.start(400, 150, 50, true, Locks.IN_DATABASE).statusCode()).isEqualTo(202);
		board.await((seen) -> selling(seen, "with"));
		assertThat(board.fault(Fault.CUT, 1)).satisfies((answer) -> {
			assertThat(answer.statusCode()).isEqualTo(409);
			assertThat(answer.body()).contains("in the database, not in Redis");
		});
		assertThat(told(Fault.FREEZE, 1)).isEqualTo("holds holds fault next woke lost refused end");
		assertThat(told(Fault.KILL, 2)).isEqualTo("holds holds fault next end");
		JsonNode seen = board.await((done) -> done(done, "with"));
		assertThat(seen.at("/without/figures/oversold").asInt()).isPositive();
		assertThat(seen.at("/with/locks").asString()).isEqualTo("IN_DATABASE");
		JsonNode figures = seen.at("/with/figures");
		assertThat(figures.get("orders").asInt()).isEqualTo(150);
		assertThat(figures.get("left").asInt()).isZero();
		assertThat(figures.get("oversold").asInt()).isZero();
		assertThat(figures.get("fence").asString()).isEqualTo("0");
	}

	private static String told(Fault fault, int instance) throws Exception {
		assertThat(board.fault(fault, instance).statusCode()).isEqualTo(202);
		JsonNode seen = board.await((told) -> told.at("/story/0/fault").asString().equals(fault.name())
				&& told.at("/story/0/done").asBoolean());
		return StreamSupport.stream(seen.at("/story/0/steps").spliterator(), false)
			.map((step) -> step.get("kind").asString())
			.collect(Collectors.joining(" "));
	}

	private static JsonNode json(String path) throws Exception {
		return JsonMapper.shared().readTree(board.get(path).body());
	}

	private static int handOffs(JsonNode seen) {
		JsonNode handOffs = seen.at("/with/handOffs");
		return handOffs.get("inside").asInt() + handOffs.get("between").asInt() + handOffs.get("store").asInt();
	}

	/** Spans are exported every five seconds. */
	@Test
	void requestWhenAnsweredIsLoggedAsTrace(CapturedOutput output) throws Exception {
		assertThat(board.get("stock").statusCode()).isEqualTo(200);
		Awaitility.await()
			.atMost(Duration.ofMinutes(4))
			.untilAsserted(() -> assertThat(output.getOut()).containsPattern("trace=\\w{32} .*name='http get /stock'"));
	}

	@Test
	void faultWhenNothingIsSoldIsConflict() throws Exception {
		assertThat(board.fault(Fault.KILL, 1)).satisfies((answer) -> {
			assertThat(answer.statusCode()).isEqualTo(409);
			assertThat(answer.body()).contains("does not sell with the lock now");
		});
	}

	@Test
	void startWhenOptionIsOutOfRangeIsBadRequest() throws Exception {
		assertThat(board.start(-1, 10, 0, true).statusCode()).isEqualTo(400);
	}

	@ParameterizedTest
	@CsvSource({ "'', Flash sale", "js/main.js, EventSource", "base.css, prefers-color-scheme", "actuator/health, UP",
			"actuator/metrics, names", "actuator/prometheus, jvm_memory", "actuator/locks, purchase" })
	void fileWhenAskedForIsServed(String path, String text) throws Exception {
		assertThat(board.get(path)).satisfies((answer) -> {
			assertThat(answer.statusCode()).isEqualTo(200);
			assertThat(answer.body()).contains(text);
		});
	}

	@ParameterizedTest
	@CsvSource({ "?key=%20, give it as 'key'", "?key=7&registry=none, There is no registry 'none'" })
	void locksWhenRequestCannotWorkSayWhy(String query, String reason) throws Exception {
		assertThat(board.get("actuator/locks/purchase" + query)).satisfies((answer) -> {
			assertThat(answer.statusCode()).isEqualTo(400);
			assertThat(answer.body()).contains("\"status\":400", reason);
		});
	}

	private static boolean selling(JsonNode seen, String run) {
		return seen.at("/" + run + "/state").asString().equals("selling");
	}

	private static boolean done(JsonNode seen, String run) {
		return seen.at("/" + run + "/state").asString().equals("done") && !seen.get("busy").asBoolean();
	}

}

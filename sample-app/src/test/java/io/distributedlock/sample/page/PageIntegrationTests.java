package io.distributedlock.sample.page;

import java.util.List;
import java.util.stream.StreamSupport;

import io.distributedlock.sample.SampleApplication;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/** What the page shows and does, over HTTP as a browser would. */
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
		board.close();
		shop.close();
	}

	@Test
	void saleWhenComparedIsOversoldWithoutTheLockOnly() throws Exception {
		assertThat(board.start(300, 60, 10, true).statusCode()).isEqualTo(202);
		board.await((seen) -> selling(seen, "without"));
		assertThat(board.start(1, 1, 0, false).statusCode()).isEqualTo(409);
		board.await((seen) -> selling(seen, "with"));
		JsonNode seen = board.await((done) -> done(done, "with"));
		assertThat(seen.at("/without/figures/oversold").asInt()).isPositive();
		JsonNode figures = seen.at("/with/figures");
		assertThat(figures.get("oversold").asInt()).isZero();
		assertThat(figures.get("orders").asInt()).isEqualTo(60);
		assertThat(figures.get("left").asInt()).isZero();
		assertThat(figures.get("duplicates").asInt()).isZero();
		assertThat(figures.get("fence").asString()).hasSizeGreaterThan(10);
		JsonNode handOffs = seen.at("/with/handOffs");
		assertThat(handOffs.get("inside").asInt() + handOffs.get("between").asInt() + handOffs.get("store").asInt())
			.isGreaterThanOrEqualTo(60);
	}

	/**
	 * The stories that the documents tell. None of them sells more than there is, and
	 * that the sale goes on to its end is part of each.
	 */
	@ParameterizedTest
	@CsvSource({ "FREEZE, holds holds fault next woke lost refused end", "KILL, holds holds fault next end",
			"CUT, holds holds fault lost next refused end", "RESTART_REDIS, holds holds fault next lost refused end" })
	void faultWhenItMeetsAHolderIsTold(Fault fault, String steps) throws Exception {
		assertThat(board.start(400, 100, 10, false).statusCode()).isEqualTo(202);
		board.await((seen) -> selling(seen, "with"));
		assertThat(board.fault(fault, 1).statusCode()).isEqualTo(202);
		JsonNode seen = board.await((told) -> told.at("/story/0/done").asBoolean());
		assertThat(kinds(seen)).containsExactly(steps.split(" "));
		assertThat(seen.at("/story/0/fault").asString()).isEqualTo(fault.name());
		JsonNode end = board.await((done) -> done(done, "with"));
		assertThat(end.at("/with/figures/oversold").asInt()).isZero();
		assertThat(end.at("/with/figures/orders").asInt()).isEqualTo(100);
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
			"actuator/metrics, names", "actuator/prometheus, jvm_memory" })
	void fileWhenAskedForIsServed(String path, String text) throws Exception {
		assertThat(board.get(path)).satisfies((answer) -> {
			assertThat(answer.statusCode()).isEqualTo(200);
			assertThat(answer.body()).contains(text);
		});
	}

	private static List<String> kinds(JsonNode seen) {
		return StreamSupport.stream(seen.at("/story/0/steps").spliterator(), false)
			.map((step) -> step.get("kind").asString())
			.toList();
	}

	private static boolean selling(JsonNode seen, String run) {
		return seen.at("/" + run + "/state").asString().equals("selling");
	}

	private static boolean done(JsonNode seen, String run) {
		return seen.at("/" + run + "/state").asString().equals("done") && !seen.get("busy").asBoolean();
	}

}

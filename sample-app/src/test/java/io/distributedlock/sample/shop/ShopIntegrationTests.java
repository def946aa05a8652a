package io.distributedlock.sample.shop;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.actuate.LocksEndpoint;
import io.distributedlock.sample.SampleApplication;
import io.distributedlock.sample.server.Endpoints;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** Two instances that share Redis and database, the second one as if started by hand. */
@ExtendWith(OutputCaptureExtension.class)
class ShopIntegrationTests {

	private static ConfigurableApplicationContext first;

	private static ConfigurableApplicationContext second;

	private RestTestClient here;

	private RestTestClient there;

	@BeforeAll
	static void start() {
		first = run(Map.of());
		Endpoints endpoints = first.getBean(Endpoints.class);
		assertThat(endpoints.properties()).hasSize(4);
		Map<String, String> shared = new HashMap<>(endpoints.properties());
		shared.put("spring.datasource.password", endpoints.databasePassword());
		second = run(shared);
		assertThat(second.getBean(Endpoints.class).properties()).isEmpty();
	}

	private static ConfigurableApplicationContext run(Map<String, String> options) {
		List<String> arguments = new ArrayList<>(List.of("--flash-sale.run=false", "--server.port=0",
				"--flash-sale.report-delay=1h", "--flash-sale.report-keep-for=10m", "--spring.data.redis.timeout=20s",
				"--distributed-lock.redis.command-timeout=20s", "--distributed-lock.locks.purchase.wait=4s"));
		options.forEach((name, value) -> arguments.add("--" + name + "=" + value));
		return SpringApplication.run(SampleApplication.class, arguments.toArray(String[]::new));
	}

	@AfterAll
	static void stop() {
		second.close();
		first.close();
	}

	@BeforeEach
	void open() {
		this.here = client(first);
		this.there = client(second);
		first.getBean(Ledger.class).open("toy", 2);
	}

	private static RestTestClient client(ConfigurableApplicationContext instance) {
		Environment environment = instance.getEnvironment();
		return RestTestClient.bindToServer()
			.baseUrl("http://127.0.0.1:" + environment.getRequiredProperty("local.server.port"))
			.build();
	}

	@Test
	void purchaseWhenInStockIsCreated() {
		String location = purchase(this.here, "toy").expectStatus()
			.isCreated()
			.expectBody()
			.jsonPath("$.item")
			.isEqualTo("toy")
			.jsonPath("$.number")
			.value(String.class, (number) -> assertThat(number).matches("\\d{19}"))
			.returnResult()
			.getResponseHeaders()
			.getFirst(HttpHeaders.LOCATION);
		this.there.get()
			.uri(location)
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.buyer")
			.isEqualTo("ann");
	}

	@Test
	void purchaseWhenSoldOutIsGone() {
		purchase(this.here, "toy").expectStatus().isCreated();
		purchase(this.there, "toy").expectStatus().isCreated();
		problem(purchase(this.here, "toy"), HttpStatus.GONE, "sold-out");
	}

	@Test
	void purchaseWhenItemIsUnknownIsNotFound() {
		problem(purchase(this.here, "ghost"), HttpStatus.NOT_FOUND, "unknown");
	}

	@Test
	void purchaseWhenBuyerIsMissingIsBadRequest() {
		this.here.post()
			.uri("/purchases")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"item\":\"toy\"}")
			.exchange()
			.expectStatus()
			.isBadRequest()
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON);
	}

	@Test
	void exportWhenTwoAreRunningIsConflictUntilOneIsDone() {
		LockRequest permit = LockRequest.of(StockExport.LOCK, "all").permits(2);
		LockRegistry locks = first.getBean(LockRegistry.class);
		try (Lease running = locks.acquire(permit)) {
			try (Lease another = locks.acquire(permit)) {
				problem(this.there.get().uri("/stock").exchange(), HttpStatus.CONFLICT, "lock-busy");
			}
			this.there.get().uri("/stock").exchange().expectStatus().isOk().expectBody().jsonPath("$[0].item").exists();
		}
	}

	@Test
	void purchaseWhenLockIsHeldElsewhereIsConflictUntilReleased() {
		this.here.put().uri("/stock/toy/closure").exchange().expectStatus().isNoContent();
		problem(purchase(this.there, "toy"), HttpStatus.CONFLICT, "lock-busy").expectHeader()
			.valueEquals(HttpHeaders.RETRY_AFTER, "1")
			.expectBody()
			.jsonPath("$.key")
			.isEqualTo("toy");
		this.here.delete().uri("/stock/toy/closure").exchange().expectStatus().isNoContent();
		purchase(this.there, "toy").expectStatus().isCreated();
	}

	@Test
	void closureWhenAlreadyClosedIsConflict() {
		this.here.put().uri("/stock/toy/closure").exchange().expectStatus().isNoContent();
		problem(this.here.put().uri("/stock/toy/closure").exchange(), HttpStatus.CONFLICT, "lock-busy");
		this.here.delete().uri("/stock/toy/closure").exchange().expectStatus().isNoContent();
		problem(this.here.delete().uri("/stock/toy/closure").exchange(), HttpStatus.NOT_FOUND, "unknown");
	}

	/** It had answered that all was well, while the item had been sold. */
	@Test
	void openingWhenLockWasTakenAwayIsConflict() {
		this.here.put().uri("/stock/toy/closure").exchange().expectStatus().isNoContent();
		assertThat(second.getBean(LocksEndpoint.class)
			.forceRelease(StockService.LOCK, "toy", null, null, SecurityContext.NONE)
			.released()).isOne();
		purchase(this.there, "toy").expectStatus().isCreated();
		problem(this.here.delete().uri("/stock/toy/closure").exchange(), HttpStatus.CONFLICT, "lock-lost").expectBody()
			.jsonPath("$.key")
			.isEqualTo("toy");
		problem(this.here.delete().uri("/stock/toy/closure").exchange(), HttpStatus.NOT_FOUND, "unknown");
	}

	@Test
	void closureWhenEarlierOneWasTakenAwayHoldsAgain() {
		this.here.put().uri("/stock/toy/closure").exchange().expectStatus().isNoContent();
		second.getBean(LocksEndpoint.class).forceRelease(StockService.LOCK, "toy", null, null, SecurityContext.NONE);
		this.here.put().uri("/stock/toy/closure").exchange().expectStatus().isNoContent();
		this.here.delete().uri("/stock/toy/closure").exchange().expectStatus().isNoContent();
	}

	@Test
	void deliveryAddsToStock() {
		this.here.post()
			.uri("/stock/toy/deliveries")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"quantity\":10}")
			.exchange()
			.expectStatus()
			.isOk();
		assertThat(quantity(this.there)).isEqualTo(12);
	}

	@Test
	void priceChangeRaisesFence() {
		long before = fence();
		this.there.put()
			.uri("/stock/toy/price")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"price\":9.99}")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody()
			.jsonPath("$.price")
			.isEqualTo(9.99);
		assertThat(fence()).isGreaterThan(before);
	}

	/** A write that carries the token of an earlier holder. */
	@Test
	void writeWhenLaterHolderHasWrittenIsRefused() {
		purchase(this.here, "toy").expectStatus().isCreated();
		int written = first.getBean(TransactionTemplate.class)
			.execute((status) -> first.getBean(StockRepository.class).setQuantity("toy", 99, fence() - 1));
		assertThat(written).isZero();
		assertThat(quantity(this.here)).isEqualTo(1);
	}

	@Test
	void setQuantityWhenReadIsStaleThrows() {
		StockService stock = first.getBean(StockService.class);
		Stock read = stock.get("toy");
		purchase(this.there, "toy").expectStatus().isCreated();
		assertThatExceptionOfType(StaleWriteException.class)
			.isThrownBy(() -> first.getBean(TransactionTemplate.class)
				.executeWithoutResult((status) -> stock.setQuantity(read, 99)))
			.withMessageContaining("toy");
	}

	@Test
	void reportRunsOnOneInstanceOnly(CapturedOutput output) {
		purchase(this.here, "toy").expectStatus().isCreated();
		purchase(this.there, "toy").expectStatus().isCreated();
		first.getBean(StockReport.class).report();
		second.getBean(StockReport.class).report();
		first.getBean(StockReport.class).report();
		assertThat(output.getOut().lines().filter((line) -> line.contains("In stock:"))).hasSize(1);
	}

	private static RestTestClient.ResponseSpec purchase(RestTestClient client, String item) {
		return client.post()
			.uri("/purchases")
			.contentType(MediaType.APPLICATION_JSON)
			.body("{\"item\":\"" + item + "\",\"buyer\":\"ann\"}")
			.exchange();
	}

	private static RestTestClient.ResponseSpec problem(RestTestClient.ResponseSpec response, HttpStatus status,
			String type) {
		response.expectStatus()
			.isEqualTo(status)
			.expectHeader()
			.contentType(MediaType.APPLICATION_PROBLEM_JSON)
			.expectBody()
			.jsonPath("$.type")
			.isEqualTo("/problems/" + type);
		return response;
	}

	private static int quantity(RestTestClient client) {
		return view(client).quantity();
	}

	private long fence() {
		return view(this.here).fence();
	}

	private static StockController.StockView view(RestTestClient client) {
		return client.get()
			.uri("/stock/toy")
			.exchange()
			.expectStatus()
			.isOk()
			.expectBody(StockController.StockView.class)
			.returnResult()
			.getResponseBody();
	}

}

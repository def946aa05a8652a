package io.distributedlock.sample.page;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.function.Predicate;

import io.distributedlock.sample.sale.Locks;
import org.awaitility.Awaitility;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.MissingNode;

/** The page without a browser: listens to the sale and sends requests. */
final class Board implements AutoCloseable {

	private static final Duration LONGEST = Duration.ofMinutes(4);

	private final HttpClient client = HttpClient.newHttpClient();

	private final String url;

	private final BufferedReader stream;

	private volatile JsonNode latest = MissingNode.getInstance();

	Board(String url) throws IOException, InterruptedException {
		this.url = url;
		HttpRequest request = HttpRequest.newBuilder(URI.create(url + "sale/events")).build();
		this.stream = new BufferedReader(new InputStreamReader(
				this.client.send(request, HttpResponse.BodyHandlers.ofInputStream()).body(), StandardCharsets.UTF_8));
		Thread thread = new Thread(this::listen, "board");
		thread.setDaemon(true);
		thread.start();
	}

	private void listen() {
		this.stream.lines()
			.filter((line) -> line.startsWith("data:"))
			.forEach((line) -> this.latest = JsonMapper.shared().readTree(line.substring("data:".length())));
	}

	/** Start a sale with the lock only, or without it first. */
	HttpResponse<String> start(int buyers, int stock, int paceMillis, boolean compare)
			throws IOException, InterruptedException {
		return start(buyers, stock, paceMillis, compare, Locks.IN_REDIS);
	}

	HttpResponse<String> start(int buyers, int stock, int paceMillis, boolean compare, Locks locks)
			throws IOException, InterruptedException {
		return post("sale",
				"{\"buyers\":%d,\"stock\":%d,\"instances\":2,\"paceMillis\":%d,\"compare\":%b,\"locks\":\"%s\"}"
					.formatted(buyers, stock, paceMillis, compare, locks));
	}

	HttpResponse<String> fault(Fault fault, int instance) throws IOException, InterruptedException {
		return post("sale/faults", "{\"fault\":\"%s\",\"instance\":%d}".formatted(fault, instance));
	}

	HttpResponse<String> get(String path) throws IOException, InterruptedException {
		return this.client.send(HttpRequest.newBuilder(URI.create(this.url + path)).build(),
				HttpResponse.BodyHandlers.ofString());
	}

	private HttpResponse<String> post(String path, String json) throws IOException, InterruptedException {
		return this.client.send(HttpRequest.newBuilder(URI.create(this.url + path))
			.header("Content-Type", "application/json")
			.POST(HttpRequest.BodyPublishers.ofString(json))
			.build(), HttpResponse.BodyHandlers.ofString());
	}

	JsonNode await(Predicate<JsonNode> condition) {
		return Awaitility.await()
			.pollInterval(Duration.ofMillis(20))
			.atMost(LONGEST)
			.until(() -> this.latest, (board) -> !board.isMissingNode() && condition.test(board));
	}

	@Override
	public void close() {
		try {
			this.stream.close();
		}
		catch (IOException ignored) {
			// The shop has ended first.
		}
	}

}

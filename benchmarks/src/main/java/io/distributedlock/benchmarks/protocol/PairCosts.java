package io.distributedlock.benchmarks.protocol;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.IntFunction;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;

/**
 * Measures the cost of a pair of acquisition and release without contention. Requests,
 * bytes and commands are counted, so they are the same on every machine. The processor
 * time of the server is measured in pipelines of {@value #PIPELINE} requests.
 */
final class PairCosts implements AutoCloseable {

	private static final int WARM_UP = 3;

	private static final int PASSES = 4;

	private static final int PIPELINE = 100;

	private final RedisServer server = RedisServers.start();

	private final ServerFigures figures = new ServerFigures(this.server);

	private final CountingRelay relay = new CountingRelay(this.server);

	private final RedisClient client = RedisClient.create();

	private final Instance instance = Instance.patient("127.0.0.1", this.relay.port());

	private final Map<String, Pairs> candidates = Pairs
		.all(this.client.connect(RedisURI.create("127.0.0.1", this.relay.port())).async(), this.instance.registry());

	private PairCosts() throws IOException {
	}

	static void printWire() throws Exception {
		try (PairCosts costs = new PairCosts()) {
			costs.wire();
		}
	}

	static void printCpu(int rounds) throws Exception {
		try (PairCosts costs = new PairCosts()) {
			Table table = new Table("per pair, %d rounds".formatted(rounds), true,
					Table.Column.median("µs of server CPU", 1));
			Rounds
				.<Pairs, double[]>take(costs.candidates, WARM_UP, rounds,
						(pairs) -> new double[] { costs.cpuMicros(pairs) })
				.forEach(table::add);
			ProtocolBenchmark.line("%n%s", table.markdown());
		}
	}

	private void wire() throws Exception {
		ProtocolBenchmark.line("%n| per pair | requests | bytes, both ways | commands inside scripts"
				+ " | memory of a released key, bytes |%n|---|---|---|---|---|");
		for (Map.Entry<String, Pairs> candidate : this.candidates.entrySet()) {
			Pairs pairs = candidate.getValue();
			double memory = memory(pairs);
			// Bring the keys into the state between two locks.
			prepare(pairs, 1);
			double requests = -this.relay.requests();
			double bytes = -this.relay.bytes();
			double commands = -this.figures.commands();
			run(pairs, 1);
			requests += this.relay.requests();
			bytes += this.relay.bytes();
			commands += this.figures.commands();
			ProtocolBenchmark.line("| %s | %.2f | %.0f | %.2f | %.0f |", candidate.getKey(), requests / Pairs.KEYS,
					bytes / Pairs.KEYS, (commands - requests) / Pairs.KEYS, memory / Pairs.KEYS);
		}
	}

	/** Measure the memory of released keys. The scripts are loaded before. */
	private double memory(Pairs pairs) throws Exception {
		prepare(pairs, 1);
		run(pairs, 1);
		this.server.ask("FLUSHALL");
		double memory = -this.figures.memory();
		prepare(pairs, 1);
		run(pairs, 1);
		return memory + this.figures.memory();
	}

	private void prepare(Pairs pairs, int atOnce) throws Exception {
		if (pairs.before() != null) {
			run(pairs.before(), atOnce);
		}
	}

	private double cpuMicros(Pairs pairs) throws Exception {
		double micros = 0;
		for (int pass = 0; pass < PASSES; pass++) {
			prepare(pairs, PIPELINE);
			micros -= this.figures.cpuMicros();
			run(pairs, PIPELINE);
			micros += this.figures.cpuMicros();
		}
		return micros / PASSES / Pairs.KEYS;
	}

	/** Acquire and release the keys in groups, each key once. */
	private void run(Pairs pairs, int atOnce) throws Exception {
		for (int key = 0; key < Pairs.KEYS; key += atOnce) {
			send(pairs.acquire(), key, atOnce);
			send(pairs.release(), key, atOnce);
		}
	}

	private void send(IntFunction<CompletionStage<?>> command, int firstKey, int count) throws Exception {
		CompletableFuture<?>[] answers = new CompletableFuture<?>[count];
		this.relay.hold();
		long expected = this.relay.requests() + count;
		for (int i = 0; i < count; i++) {
			answers[i] = command.apply(firstKey + i).toCompletableFuture();
		}
		this.relay.sendWhenThereAre(expected);
		CompletableFuture.allOf(answers).join();
	}

	@Override
	public void close() {
		this.instance.close();
		this.client.shutdown();
		this.relay.close();
		this.server.close();
	}

}

package io.distributedlock.sample.sale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The instances of one run: started together, let loose together. */
final class Instances implements AutoCloseable {

	private final List<InstanceProcess> processes = new ArrayList<>();

	private final long deadline;

	private final Path directory;

	Instances(Duration timeout) throws IOException {
		this.deadline = System.nanoTime() + timeout.toNanos();
		this.directory = Files.createTempDirectory("flash-sale-");
	}

	void start(InstanceCommand command, FlashSaleProperties sale, boolean lock) throws IOException {
		for (int instance = 0; instance < sale.instances(); instance++) {
			Map<String, String> options = options(sale, sale.buyersOf(instance), lock);
			this.processes
				.add(InstanceProcess.start("instance-" + (instance + 1), command.create(options, this.directory)));
		}
	}

	/** The lock is switched off, or given a longer wait, as an operator would do it. */
	private static Map<String, String> options(FlashSaleProperties sale, int buyers, boolean lock) {
		return Map.of("flash-sale.buyers", String.valueOf(buyers), "flash-sale.threads", String.valueOf(sale.threads()),
				"flash-sale.item", sale.item(), "flash-sale.timeout", sale.timeout().toString(),
				"distributed-lock.enabled", String.valueOf(lock), "distributed-lock.locks.purchase.wait",
				sale.patience().toString());
	}

	void awaitReady() throws InterruptedException {
		for (InstanceProcess process : this.processes) {
			process.awaitReady(this.deadline - System.nanoTime());
		}
	}

	Tally run() throws IOException, InterruptedException {
		for (InstanceProcess process : this.processes) {
			process.go();
		}
		Tally total = Tally.NONE;
		for (InstanceProcess process : this.processes) {
			total = total.plus(process.awaitTally(this.deadline - System.nanoTime()));
		}
		return total;
	}

	@Override
	public void close() throws IOException {
		this.processes.forEach(InstanceProcess::close);
		Files.deleteIfExists(this.directory.resolve("class-path"));
		Files.deleteIfExists(this.directory);
	}

}

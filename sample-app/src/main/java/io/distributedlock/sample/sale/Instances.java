package io.distributedlock.sample.sale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

import io.distributedlock.embedded.RedisLink;
import org.jspecify.annotations.Nullable;

/** The instances of one run, which start and begin to sell together. */
final class Instances implements AutoCloseable {

	private final List<SaleInstance> instances = new CopyOnWriteArrayList<>();

	private final long deadline;

	private final Path directory;

	private volatile boolean selling;

	private volatile boolean disturbed;

	/** Options that all instances have. */
	private final Map<String, String> common;

	Instances(Duration timeout, Map<String, String> common) throws IOException {
		this.common = common;
		this.deadline = System.nanoTime() + timeout.toNanos();
		this.directory = Files.createTempDirectory("flash-sale-");
	}

	void start(InstanceCommand command, FlashSaleProperties sale, boolean lock, SaleObserver observer)
			throws IOException {
		for (int instance = 0; instance < sale.instances(); instance++) {
			RedisLink link = command.redisLink();
			Map<String, String> options = options(sale, sale.buyersOf(instance), lock, link);
			options.putAll(this.common);
			this.instances.add(new SaleInstance(instance + 1, command.create(options, this.directory), link, observer));
		}
	}

	/**
	 * Return the options of an instance. They switch the lock off, or lengthen its wait,
	 * as an operator would do it.
	 */
	private static Map<String, String> options(FlashSaleProperties sale, int buyers, boolean lock,
			@Nullable RedisLink link) {
		Map<String, String> options = new HashMap<>();
		options.put("flash-sale.buyers", String.valueOf(buyers));
		options.put("flash-sale.threads", String.valueOf(sale.threads()));
		options.put("flash-sale.item", sale.item());
		options.put("flash-sale.locks", sale.locks().name());
		options.put("flash-sale.pace", sale.pace().toString());
		options.put("flash-sale.timeout", sale.timeout().toString());
		options.put("distributed-lock.enabled", String.valueOf(lock));
		options.put("distributed-lock.locks.purchase.wait", sale.patience().toString());
		if (link != null) {
			options.put("spring.data.redis.port", String.valueOf(link.port()));
		}
		return options;
	}

	void awaitReady() throws InterruptedException {
		for (SaleInstance instance : this.instances) {
			instance.awaitReady(this.deadline - System.nanoTime());
		}
	}

	void go() throws IOException {
		for (SaleInstance instance : this.instances) {
			instance.go();
		}
		this.selling = true;
	}

	Tally awaitTally() throws InterruptedException {
		Tally total = Tally.NONE;
		for (SaleInstance instance : this.instances) {
			total = total.plus(instance.awaitTally(this.deadline - System.nanoTime()));
		}
		return total;
	}

	/** Return an instance for a fault, after which buyers may fail. */
	Optional<SaleInstance> disturb(int number) {
		if (!this.selling || number < 1 || number > this.instances.size()) {
			return Optional.empty();
		}
		this.disturbed = true;
		return Optional.of(this.instances.get(number - 1));
	}

	boolean isDisturbed() {
		return this.disturbed;
	}

	@Override
	public void close() throws IOException {
		this.selling = false;
		this.instances.forEach(SaleInstance::close);
		Files.deleteIfExists(this.directory.resolve("class-path"));
		Files.deleteIfExists(this.directory);
	}

}

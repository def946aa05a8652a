package io.distributedlock.ownaspect;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import io.distributedlock.Lease;
import io.distributedlock.LeaseLock;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenBusy;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.annotation.Renewal;

/** The examples of docs/migration.md. */
class MigratedShapes {

	private final LockRegistry registry;

	private int reports;

	MigratedShapes(LockRegistry registry) {
		this.registry = registry;
	}

	@HomeMadeLock("orders") // the old one
	@DistributedLock(name = "orders", key = "#id")
	public String ship(String id) {
		return "shipped " + id;
	}

	public String shipByHand(String id) throws InterruptedException {
		return shipByHand(this.registry, id);
	}

	private String shipByHand(LockRegistry registry, String id) throws InterruptedException {
		LeaseLock lock = registry.getLock("orders", id);
		if (!lock.tryLock(Duration.ofSeconds(2), Duration.ofSeconds(10))) {
			return "busy";
		}
		try {
			return ship(id);
		}
		finally {
			lock.unlock();
		}
	}

	public List<String> transfer(String from, String to) {
		return transfer(this.registry, from, to);
	}

	private static List<String> transfer(LockRegistry registry, String from, String to) {
		LockRequest both = LockRequest.ofAll(from, to).name("accounts").waitFor(Duration.ofSeconds(2));
		try (Lease lease = registry.acquire(both)) {
			return lease.keys();
		}
	}

	@DistributedLock(name = "order", key = "#user + '.' + #order", ttl = "10s", waitFor = "3s")
	public String pay(String user, String order) {
		return lock();
	}

	@DistributedLock(name = "sms", key = "#phone", keepFor = "60s", waitFor = "0", whenBusy = WhenBusy.THROW)
	public String send(String phone) {
		return lock();
	}

	@DistributedLock(name = "stock", key = "#item + '-' + #order.id", waitFor = "60s", ttl = "60s",
			fallback = "soldOut")
	public String reserve(String item, Order order) {
		return lock();
	}

	private String soldOut(String item, Order order) {
		return "no " + item + " for " + order.id();
	}

	@DistributedLock(name = "invoice", key = "#ids", ttl = "10s", waitFor = "1s", whenBusy = WhenBusy.SKIP)
	public Optional<String> bill(List<String> ids) {
		return Optional.of(lock());
	}

	@DistributedLock(name = "daily-report", key = "'all'", waitFor = "0", whenBusy = WhenBusy.SKIP)
	public void report() {
		this.reports++;
	}

	public int reports() {
		return this.reports;
	}

	/** With a name alone, which two methods have. */
	@DistributedLock(name = "import", waitFor = "0")
	public String importPrices() {
		return lock();
	}

	@DistributedLock(name = "import", waitFor = "0")
	public String importStock() {
		return lock();
	}

	@DistributedLock(name = "export", key = "'all'", waitFor = "0")
	public String exportPrices() {
		return lock();
	}

	@DistributedLock(name = "export", key = "'all'", ttl = "1s", renew = Renewal.OFF, waitFor = "0")
	public String exportStock() {
		return lock();
	}

	private static String lock() {
		Lease lease = Lease.current().orElseThrow();
		return lease.name() + lease.keys();
	}

	/**
	 * An order.
	 *
	 * @param id its number
	 */
	record Order(String id) {

	}

}

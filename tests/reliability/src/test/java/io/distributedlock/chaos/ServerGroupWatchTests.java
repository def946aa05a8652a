package io.distributedlock.chaos;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.history.PastFault;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The watch sees the events that the run did not cause, and not those that it caused. */
class ServerGroupWatchTests {

	private final RedisServer first = server("first");

	private final RedisServer second = server("second");

	private int asked;

	private long now;

	private final ServerGroupWatch watch = new ServerGroupWatch(List.of(this.first, this.second),
			() -> List.of("a", "b"), () -> this.asked, () -> this.now);

	@Test
	void serversWhenTheyAnswerAreNotWorthAWord() {
		hears(this.first, 0, 3000);
		assertThat(seen()).isEmpty();
	}

	@Test
	void masterWhenItStoodStillWasOutOfReach() {
		hears(this.first, 0, 1000);
		answer(this.second, 1500, false);
		hears(this.first, 2000, 3000);
		assertThat(seen()).containsExactly("OUTAGE a 1000-2000", "OUTAGE b 1000-2000");
	}

	@Test
	void replicaWhenItStoodStillIsNotMissed() {
		hears(this.first, 0, 1000);
		for (long t = 1100; t < 3000; t += 100) {
			answer(this.first, t, true);
		}
		hears(this.first, 3000, 4000);
		assertThat(seen()).isEmpty();
	}

	/** Until both agree, whatever was there before all was well may be undone. */
	@Test
	void masterWhenReplacedUnaskedMayHaveForgotten() {
		hears(this.first, 0, 1000);
		hears(this.second, 1300, 3000);
		assertThat(seen()).containsExactly("OUTAGE a 990-1300", "OUTAGE b 990-1300", "FAILOVER a 990-1300",
				"FAILOVER b 990-1300");
	}

	@Test
	void masterWhenReplacedOnRequestIsInTheHistoryAlready() {
		hears(this.first, 0, 1000);
		this.asked++;
		hears(this.first, 1000, 1200);
		hears(this.second, 1300, 1400);
		hears(this.first, 1500, 1600);
		this.asked++;
		hears(this.second, 1700, 3000);
		assertThat(seen()).isEmpty();
	}

	@Test
	void mastersWhenThereAreTwoAreNotWellYet() {
		hears(this.first, 0, 1000);
		for (long t = 1100; t < 2000; t += 100) {
			answer(this.first, t, true);
			answer(this.second, t, true);
		}
		hears(this.second, 2000, 3000);
		assertThat(seen()).contains("FAILOVER a 990-2000");
	}

	/** The master and the other server both answer, every 100 ms. */
	private void hears(RedisServer master, long from, long to) {
		for (long t = from; t <= to; t += 100) {
			answer((master == this.first) ? this.second : this.first, t, false);
			answer(master, t, true);
		}
	}

	private void answer(RedisServer server, long t, boolean isMaster) {
		this.now = nanos(t);
		this.watch.answered(server, nanos(t - 10), isMaster);
	}

	private static long nanos(long millis) {
		return Duration.ofMillis(millis).toNanos();
	}

	private List<String> seen() {
		return this.watch.faults().stream().map(ServerGroupWatchTests::text).toList();
	}

	private static String text(PastFault fault) {
		return "%s %s %d-%d".formatted(fault.kind(), fault.key(), Duration.ofNanos(fault.begin()).toMillis(),
				Duration.ofNanos(fault.end()).toMillis());
	}

	/** Only its identity counts here. */
	private static RedisServer server(String name) {
		return (RedisServer) Proxy.newProxyInstance(RedisServer.class.getClassLoader(),
				new Class<?>[] { RedisServer.class }, (proxy, method, args) -> switch (method.getName()) {
					case "hashCode" -> System.identityHashCode(proxy);
					case "equals" -> proxy == args[0];
					default -> name;
				});
	}

}

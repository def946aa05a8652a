package io.distributedlock.chaos;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.history.PastFault;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** A minority that stands still excuses nothing, unless faults strike the others. */
class MajorityWatchTests {

	private final List<RedisServer> nodes = IntStream.range(0, 3).mapToObj((number) -> node()).toList();

	private long now;

	private final MajorityWatch watch = new MajorityWatch(3, List.of("permits"), () -> this.now);

	@Test
	void nodesWhenTheyAnswerAreNotRecorded() {
		hears(0, 1000, 0, 1, 2);
		assertThat(seen()).isEmpty();
	}

	@Test
	void nodeWhenItStoodStillIsMissedByPermitsOnly() {
		hears(0, 1000, 0, 1, 2);
		hears(1000, 2000, 0, 1);
		hears(2000, 3000, 0, 1, 2);
		assertThat(seen()).containsExactly("OUTAGE permits 1000-4500");
	}

	@Test
	void nodesWhenTwoStoodStillLeftNoMajority() {
		hears(0, 1000, 0, 1, 2);
		hears(1000, 2000, 2);
		hears(2000, 3000, 0, 1, 2);
		assertThat(seen()).containsExactly("OUTAGE * 1000-4500", "OUTAGE * 1000-4500");
	}

	@Test
	void nodeWhenStruckByAFaultIsInTheHistoryAlready() {
		hears(0, 100, 0, 1, 2);
		this.watch.struck(List.of(this.nodes.get(0)));
		hears(100, 2000, 1, 2);
		hears(2000, 3000, 0, 1, 2);
		this.watch.healed();
		assertThat(seen()).isEmpty();
	}

	@Test
	void nodeWhenItStoodStillBesidesOneThatWasStruckLeftNoMajority() {
		hears(0, 100, 0, 1, 2);
		this.watch.struck(List.of(this.nodes.get(0)));
		hears(100, 2000, 2);
		hears(2000, 3000, 0, 1, 2);
		assertThat(seen()).containsExactly("OUTAGE * 100-4500");
	}

	private void hears(long from, long to, int... numbers) {
		for (long t = from; t <= to; t += 100) {
			for (int number : numbers) {
				this.now = nanos(t);
				this.watch.answered(this.nodes.get(number), nanos(t - 10), true);
			}
		}
	}

	private static long nanos(long millis) {
		return Duration.ofMillis(millis).toNanos();
	}

	private List<String> seen() {
		return this.watch.faults().stream().map(MajorityWatchTests::text).toList();
	}

	private static String text(PastFault fault) {
		return "%s %s %d-%d".formatted(fault.kind(), fault.key(), Duration.ofNanos(fault.begin()).toMillis(),
				Duration.ofNanos(fault.end()).toMillis());
	}

	/** Only its identity counts here. */
	private static RedisServer node() {
		return (RedisServer) Proxy.newProxyInstance(RedisServer.class.getClassLoader(),
				new Class<?>[] { RedisServer.class }, (proxy, method, args) -> switch (method.getName()) {
					case "hashCode" -> System.identityHashCode(proxy);
					case "equals" -> proxy == args[0];
					default -> "node";
				});
	}

}

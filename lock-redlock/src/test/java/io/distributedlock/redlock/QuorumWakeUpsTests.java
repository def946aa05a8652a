package io.distributedlock.redlock;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.store.WakeUpListener;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class QuorumWakeUpsTests {

	private final ManualTimer timer = new ManualTimer();

	private final List<String> woken = new ArrayList<>();

	private final QuorumWakeUps wakeUps = new QuorumWakeUps(3, new WakeUpListener() {
		@Override
		public void wakeUp(String encodedKey) {
			QuorumWakeUpsTests.this.woken.add(encodedKey);
		}

		@Override
		public void wakeUpAll() {
			QuorumWakeUpsTests.this.woken.add("all");
		}
	}, this.timer, (bound) -> bound / 2);

	/** With each jump of a clock, the nodes kept one more listener. */
	@Test
	void nodesKeepTheirListenerWhenTheInstanceTakesAnotherIdentity() {
		VirtualQuorum quorum = new VirtualQuorum(3);
		VirtualQuorum.Instance instance = quorum.instance();
		List<List<WakeUpListener>> before = quorum.nodes.stream().map(VirtualNode::listeners).toList();
		instance.store.start("another", instance);
		assertThat(quorum.nodes.stream().map(VirtualNode::listeners)).containsExactlyElementsOf(before);
	}

	@Test
	void wakeUpWhenAMajorityHasSpokenComesOnceAndAtOnce() {
		speak("a", 0, 1);
		assertThat(this.woken).isEmpty();
		speak("a", 2);
		assertThat(this.woken).containsExactly("a");
		this.timer.pass(Duration.ofSeconds(1));
		assertThat(this.woken).containsExactly("a");
	}

	/**
	 * They may speak of the next release, and the first wake-up have been for nothing.
	 */
	@Test
	void wakeUpWhenOthersSpeakAfterItComesOnceMoreForAllOfThem() {
		speak("a", 0, 1, 2, 3, 4);
		assertThat(this.woken).containsExactly("a");
		this.timer.pass(Duration.ofMillis(20));
		assertThat(this.woken).containsExactly("a", "a");
		this.timer.pass(Duration.ofSeconds(1));
		assertThat(this.woken).hasSize(2);
	}

	@Test
	void wakeUpWhenTheOthersSpeakLateComesAtOnceForAMajority() {
		speak("a", 0);
		this.timer.pass(Duration.ofMillis(20));
		assertThat(this.woken).containsExactly("a");
		speak("a", 1, 2, 3);
		assertThat(this.woken).containsExactly("a", "a");
	}

	@Test
	void wakeUpWhenOneSpeaksAWhileAfterAMajorityComesALittleLater() {
		speak("a", 0, 1, 2);
		this.timer.pass(Duration.ofMillis(20));
		speak("a", 3);
		this.timer.pass(Duration.ofMillis(20));
		assertThat(this.woken).containsExactly("a", "a");
	}

	@Test
	void wakeUpWhenFewerHaveSpokenComesALittleLater() {
		speak("a", 0);
		this.timer.pass(Duration.ofMillis(20));
		assertThat(this.woken).containsExactly("a");
	}

	@Test
	void wakeUpWhenANodeSpeaksAgainIsAnother() {
		speak("a", 0, 1, 2, 3, 4);
		speak("a", 0, 1, 2, 3, 4);
		assertThat(this.woken).containsExactly("a", "a");
	}

	@Test
	void wakeUpOfAnotherKeyIsItsOwn() {
		speak("a", 0, 1);
		speak("b", 2, 3, 4);
		assertThat(this.woken).containsExactly("b");
	}

	@Test
	void wakeUpOfAllKeysComesAtOnce() {
		this.wakeUps.of(1).wakeUpAll();
		assertThat(this.woken).containsExactly("all");
	}

	@Test
	void keysWithoutFurtherMessagesAreForgotten() {
		speak("a", 0, 0, 1, 2);
		speak("b", 0);
		this.timer.pass(Duration.ofSeconds(1));
		assertThat(this.wakeUps.size()).isZero();
		assertThat(this.timer.pending()).isZero();
	}

	private void speak(String key, int... nodes) {
		for (int node : nodes) {
			this.wakeUps.of(node).wakeUp(key);
		}
	}

}

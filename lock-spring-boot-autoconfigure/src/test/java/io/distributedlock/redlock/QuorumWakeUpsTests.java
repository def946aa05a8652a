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

	private int queueNode;

	private final QuorumWakeUps wakeUps = new QuorumWakeUps(3, () -> this.queueNode, new WakeUpListener() {
		@Override
		public void wakeUp(String encodedKey) {
			QuorumWakeUpsTests.this.woken.add(encodedKey);
		}

		@Override
		public void wakeUp(String encodedKey, String request) {
			QuorumWakeUpsTests.this.woken.add(encodedKey + ' ' + request);
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
	void wakeUpWhenTheOthersSpeakAfterTheTimeForItComesAtOnceForAMajority() {
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

	/** A node speaks on a thread of its own. */
	@Test
	void wordWhenItComesWithTheEndOfTimeIsAnsweredAtOnce() {
		KeyWakeUps words = new KeyWakeUps(3);
		words.hear(0);
		assertThat(words.end()).isTrue();
		assertThat(words.hear(1)).isTrue();
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
	void wakeUpOfOneRequestComesFromTheNodeWithTheQueueOnly() {
		for (int node = 4; node >= 0; node--) {
			this.wakeUps.of(node).wakeUp("a", "request");
		}
		assertThat(this.woken).containsExactly("a request");
		this.queueNode = 1;
		this.wakeUps.of(0).wakeUp("a", "request");
		assertThat(this.woken).hasSize(1);
	}

	/** The holder may never have had the node with the queue. */
	@Test
	void wakeUpOfOneRequestWhenTheNodeWithTheQueueIsSilentComesFromAMajority() {
		speakOfRequest(4, 3, 1);
		assertThat(this.woken).as("the node with the queue has some time").isEmpty();
		this.timer.pass(Duration.ofMillis(20));
		assertThat(this.woken).containsExactly("a request");
		this.timer.pass(Duration.ofSeconds(1));
		assertThat(this.wakeUps.size()).isZero();
	}

	@Test
	void wakeUpOfOneRequestWhenTheNodeWithTheQueueIsSilentAndTheOthersAreSlowComesFromAMajority() {
		for (int node = 4; node >= 2; node--) {
			assertThat(this.woken).isEmpty();
			speakOfRequest(node);
			this.timer.pass(Duration.ofMillis(50));
		}
		assertThat(this.woken).containsExactly("a request");
		speakOfRequest(1);
		this.timer.pass(Duration.ofSeconds(1));
		assertThat(this.woken).hasSize(1);
	}

	@Test
	void wakeUpOfOneRequestWhenAMinoritySpeaksOfItDoesNotCome() {
		speakOfRequest(3, 4);
		this.timer.pass(Duration.ofSeconds(1));
		assertThat(this.woken).isEmpty();
		assertThat(this.wakeUps.size()).isZero();
	}

	@Test
	void wakeUpOfOneRequestWhenTheNodeWithTheQueueIsLateComesFromItAgain() {
		speakOfRequest(1, 2, 3);
		this.timer.pass(Duration.ofMillis(20));
		speakOfRequest(0);
		assertThat(this.woken).containsExactly("a request", "a request");
	}

	@Test
	void wakeUpOfOneRequestWhenAllNodesSpeakComesOnce() {
		speakOfRequest(1, 0, 2, 3, 4);
		this.timer.pass(Duration.ofSeconds(1));
		assertThat(this.woken).containsExactly("a request");
	}

	@Test
	void wakeUpOfEverybodyComesAtOnce() {
		this.wakeUps.of(1).wakeUpAll();
		assertThat(this.woken).containsExactly("all");
	}

	@Test
	void keysWhenNobodySpeaksOfThemAreForgotten() {
		speak("a", 0, 0, 1, 2);
		speak("b", 0);
		this.timer.pass(Duration.ofSeconds(1));
		assertThat(this.wakeUps.size()).isZero();
		assertThat(this.timer.pending()).isZero();
	}

	private void speakOfRequest(int... nodes) {
		for (int node : nodes) {
			this.wakeUps.of(node).wakeUp("a", "request");
		}
	}

	private void speak(String key, int... nodes) {
		for (int node : nodes) {
			this.wakeUps.of(node).wakeUp(key);
		}
	}

}

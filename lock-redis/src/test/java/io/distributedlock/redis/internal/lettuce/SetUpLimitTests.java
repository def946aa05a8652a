package io.distributedlock.redis.internal.lettuce;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.lettuce.core.resource.DefaultClientResources;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** {@link SetUpLimit} with channels whose clock the test turns. */
class SetUpLimitTests {

	private static final Duration LIMIT = Duration.ofSeconds(2);

	private final SetUpLimit limit = new SetUpLimit(DefaultClientResources.DEFAULT_NETTY_CUSTOMIZER, LIMIT);

	@Test
	void channelWhenNoneWasSetUpHasMoreTime() {
		Connecting first = new Connecting();
		first.pass(LIMIT.multipliedBy(5));
		assertThat(first.channel.isOpen()).isTrue();
	}

	/** A frozen server would hold up the way to the one that took its place. */
	@Test
	void channelWhenAnotherWasSetUpIsClosedAtTheLimit() {
		new Connecting().setUp();
		Connecting next = new Connecting();
		next.pass(LIMIT.minusMillis(1));
		assertThat(next.channel.isOpen()).isTrue();
		next.pass(Duration.ofMillis(1));
		assertThat(next.channel.isOpen()).isFalse();
	}

	/** As where one of the nodes of a cluster is frozen at the start. */
	@Test
	void channelWhenAnotherIsSetUpMeanwhileIsClosedAtItsLimit() {
		Connecting frozen = new Connecting();
		new Connecting().setUp();
		frozen.pass(LIMIT);
		assertThat(frozen.channel.isOpen()).isFalse();
	}

	@Test
	void channelThatIsSetUpStaysOpen() {
		new Connecting().setUp();
		Connecting next = new Connecting();
		next.setUp();
		next.pass(LIMIT.multipliedBy(5));
		assertThat(next.channel.isOpen()).isTrue();
		assertThat(next.channel.pipeline().names()).hasSize(2);
	}

	/** Tells of the connection when its set-up is done, as the handshake of Lettuce. */
	private final class Connecting extends ChannelInboundHandlerAdapter {

		private final EmbeddedChannel channel = new EmbeddedChannel();

		private ChannelHandlerContext context;

		Connecting() {
			this.channel.freezeTime();
			this.channel.pipeline().addLast(this);
			SetUpLimitTests.this.limit.afterChannelInitialized(this.channel);
		}

		@Override
		public void handlerAdded(ChannelHandlerContext context) {
			this.context = context;
		}

		void setUp() {
			this.context.fireChannelActive();
		}

		void pass(Duration time) {
			this.channel.advanceTimeBy(time.toNanos(), TimeUnit.NANOSECONDS);
			this.channel.runScheduledPendingTasks();
			this.channel.runPendingTasks();
		}

	}

}

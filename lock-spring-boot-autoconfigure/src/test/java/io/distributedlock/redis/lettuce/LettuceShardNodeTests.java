package io.distributedlock.redis.lettuce;

import io.distributedlock.redis.driver.ShardChannels;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;

class LettuceShardNodeTests {

	/** The answer was read after the connection had been given up. */
	@Test
	void subscriptionThatIsConfirmedOnAConnectionThatEndsIsToldAsCut() {
		ShardChannels.Listener listener = mock(ShardChannels.Listener.class);
		LettuceShardNode node = new LettuceShardNode("a", listener, (gone, closed) -> {
		});
		node.end(true);
		node.ssubscribed("channel", 1);
		InOrder told = inOrder(listener);
		told.verify(listener).cut("a");
		told.verify(listener).subscribed("channel", "a");
		told.verify(listener).cut("a");
	}

}

package io.distributedlock.redis.internal.lettuce;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.distributedlock.text.LockLog;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Ends the set-up of a connection that takes too long, once any connection has been set
 * up. The first one has all the time that Lettuce gives it: a new process loads classes
 * meanwhile, and a second attempt would take even longer. A reconnect must not wait so
 * long for a frozen server, since another one may have taken over.
 */
final class SetUpLimit implements NettyCustomizer {

	private static final LockLog logger = LockLog.of(SetUpLimit.class);

	private final NettyCustomizer application;

	private final Duration limit;

	private volatile boolean met;

	/**
	 * Create a limit.
	 * @param application the customizer of the application, called first
	 * @param limit the time-out of the set-up, from before the connection is opened
	 */
	SetUpLimit(NettyCustomizer application, Duration limit) {
		this.application = application;
		this.limit = limit;
	}

	/** Return the time-out of the first connection. */
	static Duration first(Duration connectTimeout, Duration limit) {
		return (connectTimeout.compareTo(limit) > 0) ? connectTimeout : limit;
	}

	@Override
	public void afterBootstrapInitialized(Bootstrap bootstrap) {
		this.application.afterBootstrapInitialized(bootstrap);
	}

	@Override
	public void afterChannelInitialized(Channel channel) {
		this.application.afterChannelInitialized(channel);
		channel.pipeline().addLast(new Guard());
	}

	/**
	 * Closes a late channel. Lettuce reports it as active to this handler once it is set
	 * up.
	 */
	private final class Guard extends ChannelInboundHandlerAdapter {

		private @Nullable Future<?> end;

		@Override
		public void handlerAdded(ChannelHandlerContext context) {
			awaitLimit(context);
		}

		private void awaitLimit(ChannelHandlerContext context) {
			this.end = context.executor()
				.schedule(() -> limitReached(context), SetUpLimit.this.limit.toNanos(), TimeUnit.NANOSECONDS);
		}

		private void limitReached(ChannelHandlerContext context) {
			if (SetUpLimit.this.met) {
				logger.debug("The set-up of a connection took longer than " + SetUpLimit.this.limit);
				context.close();
			}
			else {
				awaitLimit(context);
			}
		}

		@Override
		public void channelActive(ChannelHandlerContext context) {
			SetUpLimit.this.met = true;
			context.pipeline().remove(this);
		}

		@Override
		public void handlerRemoved(ChannelHandlerContext context) {
			if (this.end != null) {
				this.end.cancel(false);
			}
		}

	}

}

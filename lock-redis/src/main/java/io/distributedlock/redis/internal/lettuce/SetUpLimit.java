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
 * up. The first one has all the time that the client of Lettuce gives it: a process that
 * has just started loads classes meanwhile, and beginning anew would take even longer. A
 * reconnect must not wait so long for a server that is frozen, since another one may have
 * taken its place.
 */
final class SetUpLimit implements NettyCustomizer {

	private static final LockLog logger = LockLog.of(SetUpLimit.class);

	private final NettyCustomizer application;

	private final Duration limit;

	private volatile boolean met;

	/**
	 * Create a limit.
	 * @param application what else is done to new connections
	 * @param limit how long the set-up may take, from before the connection is opened
	 */
	SetUpLimit(NettyCustomizer application, Duration limit) {
		this.application = application;
		this.limit = limit;
	}

	/** How long the first connection may take. */
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

	/** Lettuce reports a channel as active, to those behind it, when it is set up. */
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

package io.distributedlock.state;

import java.time.Duration;

import io.distributedlock.store.AbandonCommand;
import io.distributedlock.store.AcquireCommand;
import io.distributedlock.store.ExtendCommand;
import io.distributedlock.store.RenewCommand;
import org.jspecify.annotations.Nullable;

/**
 * Copies of commands whose times are longer, since they are decided with a time that may
 * be earlier than the back end's. A delay begins with the end of a lease, which is longer
 * already.
 */
final class Longer {

	private Longer() {
	}

	static AcquireCommand by(Duration more, AcquireCommand command) {
		return more.isZero() ? command
				: new AcquireCommand(command.keys(), command.request(), command.mode(), command.permits(),
						command.beside(), plus(command.ttl(), more), plus(command.keepFor(), more),
						plus(command.waiting(), more), command.highestToken(), command.retakes(), command.spareTokens(),
						plus(command.claim(), more), command.lockDelay(), command.take());
	}

	static RenewCommand by(Duration more, RenewCommand command) {
		return more.isZero() ? command : new RenewCommand(command.key(), command.request(), plus(command.ttl(), more),
				command.marks());
	}

	static ExtendCommand by(Duration more, ExtendCommand command) {
		Duration keepFor = command.keepFor();
		return more.isZero() ? command : new ExtendCommand(command.keys(), command.request(), plus(command.ttl(), more),
				plusOrNull(keepFor, more), command.marks());
	}

	static AbandonCommand by(Duration more, AbandonCommand command) {
		return more.isZero() ? command : new AbandonCommand(command.keys(), command.request(), command.successor(),
				plus(command.waiting(), more));
	}

	private static @Nullable Duration plusOrNull(@Nullable Duration time, Duration more) {
		return (time != null) ? plus(time, more) : null;
	}

	/** A time of zero means none. */
	private static Duration plus(Duration time, Duration more) {
		return time.isZero() ? time : time.plus(more);
	}

}

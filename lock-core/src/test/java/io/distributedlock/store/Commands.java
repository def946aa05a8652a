package io.distributedlock.store;

/** Makes commands that only a quorum sends. */
public final class Commands {

	private Commands() {
	}

	/** The same command of a request that has the lock on the other nodes. */
	public static AcquireCommand retaking(AcquireCommand command) {
		return new AcquireCommand(command.keys(), command.request(), command.mode(), command.permits(),
				command.beside(), command.ttl(), command.keepFor(), command.waiting(), command.highestToken(), true,
				command.spareTokens(), command.claim(), command.lockDelay(), command.take());
	}

}

package io.distributedlock.state;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewCommand;

/** Renewals of leases of one lock, and their answers. */
final class KeyRenewals {

	private final LockKey key;

	private final List<RenewCommand> commands = new ArrayList<>(1);

	private final List<CompletableFuture<Ownership>> answers = new ArrayList<>(1);

	KeyRenewals(LockKey key) {
		this.key = key;
	}

	CompletableFuture<Ownership> add(RenewCommand command) {
		CompletableFuture<Ownership> answer = new CompletableFuture<>();
		this.commands.add(command);
		this.answers.add(answer);
		return answer;
	}

	/** Return one command for all. It ends when no answer is waited for any more. */
	StateCommand<List<Ownership>> toCommand() {
		StateCommand<List<Ownership>> all = new StateCommand<>(this.key, null,
				(micros, table) -> table.renew(micros, this.commands));
		all.answer.whenComplete((ownerships, failure) -> {
			for (int i = 0; i < this.answers.size(); i++) {
				if (failure != null) {
					this.answers.get(i).completeExceptionally(failure);
				}
				else {
					this.answers.get(i).complete(ownerships.get(i));
				}
			}
		});
		CompletableFuture.allOf(this.answers.toArray(CompletableFuture[]::new))
			.whenComplete((done, failure) -> all.answer.cancel(false));
		return all;
	}

}

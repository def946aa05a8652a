package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.redis.driver.ScriptRunner;
import io.distributedlock.store.RenewCommand;

/**
 * Renews many leases with one script where their keys may go together, and else with one
 * each. Thread-safe.
 */
final class BatchedRenewals {

	private static final int MOST = 200;

	private final ScriptSender sender;

	private final ScriptRunner runner;

	private final ScriptCommands commands;

	private final KeyPlan plan;

	BatchedRenewals(ScriptSender sender, ScriptRunner runner, ScriptCommands commands, KeyPlan plan) {
		this.sender = sender;
		this.runner = runner;
		this.commands = commands;
		this.plan = plan;
	}

	List<CompletableFuture<Boolean>> renew(List<RenewCommand> commands) {
		int batch = this.plan.takesAllTogether() ? MOST : 1;
		List<CompletableFuture<Boolean>> answers = new ArrayList<>(commands.size());
		for (int from = 0; from < commands.size(); from += batch) {
			List<RenewCommand> together = commands.subList(from, Math.min(from + batch, commands.size()));
			answers.addAll(Futures.parts(renewTogetherIfPossible(together), together.size()));
		}
		return answers;
	}

	private CompletableFuture<List<Boolean>> renewTogetherIfPossible(List<RenewCommand> commands) {
		CompletableFuture<List<Boolean>> renewed = renewTogether(commands);
		return (commands.size() == 1) ? renewed : Futures.orElse(renewed, RedisFailures::isCrossSlot,
				() -> Futures.all(commands.stream().map((command) -> renewTogether(List.of(command))).toList()));
	}

	private CompletableFuture<List<Boolean>> renewTogether(List<RenewCommand> commands) {
		return this.sender.send(this.runner, this.commands.renew(commands),
				(answer) -> RedisAnswers.flags(answer, commands.size()));
	}

}

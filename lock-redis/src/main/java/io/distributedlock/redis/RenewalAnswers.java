package io.distributedlock.redis;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.redis.internal.driver.RedisErrors;
import io.distributedlock.redis.internal.driver.Refusals;
import io.distributedlock.redis.internal.driver.ScriptRunner;
import io.distributedlock.store.Ownership;
import io.distributedlock.store.RenewCommand;
import org.jspecify.annotations.Nullable;

/**
 * Sends renewals in as few scripts as possible, and gives each lease its own answer. If
 * one key makes the server refuse a script, the script is divided until only the answer
 * for that key fails. A script is cancelled once all of its answers are cancelled.
 */
final class RenewalAnswers {

	/** Maximum number of leases that one script renews. */
	static final int MOST = 350;

	private final LockServer server;

	private final ScriptRunner runner;

	private RenewalAnswers(LockServer server, ScriptRunner runner) {
		this.server = server;
		this.runner = runner;
	}

	/** Send renewals; the answers are in the order of the commands. */
	static List<CompletableFuture<Ownership>> send(LockServer server, ScriptRunner runner,
			List<RenewCommand> commands) {
		return new RenewalAnswers(server, runner).send(commands);
	}

	/** Send keys that were refused before at the end, each by a script of its own. */
	private List<CompletableFuture<Ownership>> send(List<RenewCommand> commands) {
		List<CompletableFuture<Ownership>> all = new ArrayList<>(commands.size());
		List<Answer> together = new ArrayList<>(commands.size());
		List<Answer> alone = new ArrayList<>();
		for (RenewCommand command : commands) {
			Answer answer = new Answer(command);
			all.add(answer);
			(this.server.refused.contains(command.key()) ? alone : together).add(answer);
		}
		int most = this.server.hasSlots() ? 1 : MOST;
		for (int from = 0; from < together.size(); from += most) {
			new Batch(together.subList(from, Math.min(from + most, together.size()))).send();
		}
		alone.forEach((answer) -> new Batch(List.of(answer)).send());
		return all;
	}

	/** The leases of one script. */
	private final class Batch {

		private final List<Answer> answers;

		private final ScriptCommand<List<Ownership>> command;

		/** Number of answers still wanted. Guarded by {@code RenewalAnswers.this}. */
		private int wanted;

		Batch(List<Answer> answers) {
			this.answers = answers;
			this.command = ScriptCommand.renew(RenewalAnswers.this.server,
					answers.stream().map((answer) -> answer.renewal).toList());
			synchronized (RenewalAnswers.this) {
				answers.forEach((answer) -> answer.join(this));
			}
		}

		void send() {
			this.command.send(RenewalAnswers.this.runner).whenComplete(this::ended);
		}

		private void ended(@Nullable List<Ownership> values, @Nullable Throwable failure) {
			if (values != null) {
				for (int i = 0; i < this.answers.size(); i++) {
					this.answers.get(i).complete(values.get(i));
				}
			}
			else if (failure != null) {
				failed(RedisErrors.unwrapped(failure));
			}
		}

		private void failed(Throwable failure) {
			Throwable said = failure.getCause();
			if (said != null && this.answers.size() > 1 && Refusals.isOfOneKey(said)) {
				List<Answer> wanted = this.answers.stream().filter((answer) -> !answer.isDone()).toList();
				Refusals.divided(wanted, said).forEach((part) -> new Batch(part).send());
			}
			else {
				this.answers.forEach((answer) -> answer.completeExceptionally(failure));
			}
		}

	}

	/** The answer for one lease. */
	private final class Answer extends CompletableFuture<Ownership> {

		private final RenewCommand renewal;

		/** Guarded by {@code RenewalAnswers.this}. */
		private @Nullable Batch batch;

		Answer(RenewCommand renewal) {
			this.renewal = renewal;
		}

		/** Join the next batch, unless this answer was cancelled before. */
		void join(Batch next) {
			boolean wanted = !isDone();
			this.batch = wanted ? next : null;
			next.wanted += wanted ? 1 : 0;
		}

		@Override
		public boolean cancel(boolean mayInterruptIfRunning) {
			boolean before = isDone();
			boolean cancelled = super.cancel(mayInterruptIfRunning);
			Batch unwanted = (cancelled && !before) ? leave() : null;
			if (unwanted != null) {
				unwanted.command.cancel(mayInterruptIfRunning);
			}
			return cancelled;
		}

		/** Leave the batch. Return it if no other answer of it is wanted. */
		private @Nullable Batch leave() {
			synchronized (RenewalAnswers.this) {
				Batch left = this.batch;
				this.batch = null;
				return (left != null && --left.wanted == 0) ? left : null;
			}
		}

	}

}

package io.distributedlock.redis.internal.driver;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Several calls that go as one. Each has its own answer or failure. The one call is
 * withdrawn when none of them is waited for any more. If the server refuses it because of
 * one key, it is divided until only that key's call fails.
 */
public final class GatheredCall {

	private final Gathering gathering;

	private final List<ScriptCall> calls;

	private final Consumer<ScriptCall> sender;

	private final ScriptCall whole;

	private GatheredCall(Gathering gathering, List<ScriptCall> calls, Consumer<ScriptCall> sender) {
		this.gathering = gathering;
		this.calls = calls;
		this.sender = sender;
		int count = calls.size();
		byte[][] keys = new byte[count + 1][];
		byte[][] args = new byte[count + 1][];
		byte[] kinds = new byte[count];
		for (int i = 0; i < count; i++) {
			ScriptCall call = calls.get(i);
			kinds[i] = call.kind;
			keys[i] = call.keys[0];
			args[i + 1] = call.args[0];
		}
		keys[count] = gathering.absentKey;
		args[0] = kinds;
		this.whole = new ScriptCall(gathering.script, keys, args);
	}

	/**
	 * Return one call for several, which run one after the other.
	 * @param calls at least two calls of this gathering, in their order
	 * @param sender sends calls once more, those of a part or one alone
	 */
	public static ScriptCall of(Gathering gathering, List<ScriptCall> calls, Consumer<ScriptCall> sender) {
		GatheredCall gathered = new GatheredCall(gathering, calls, sender);
		gathered.whole.whenComplete(gathered::ended);
		calls.forEach((call) -> call.begin(gathered::withdraw));
		return gathered.whole;
	}

	/** Withdraw the one call if no other call is waited for. */
	private void withdraw() {
		if (this.calls.stream().allMatch(ScriptCall::isDone)) {
			this.whole.cancel(false);
		}
	}

	private void ended(@Nullable Object answer, @Nullable Throwable failure) {
		if (failure == null) {
			answered(answer);
		}
		else if (Refusals.isOfOneKey(failure)) {
			refused(failure);
		}
		else {
			this.calls.forEach((call) -> call.completeExceptionally(failure));
		}
	}

	private void answered(@Nullable Object answer) {
		List<?> values = (answer instanceof List<?> list) ? list : List.of();
		int at = 0;
		for (ScriptCall call : this.calls) {
			try {
				int count = Math.toIntExact(((Number) values.get(at)).longValue());
				int begin = at + 1;
				at = begin + Math.max(1, count);
				complete(call, count > 0, (count > 1) ? values.subList(begin, at) : values.get(begin));
			}
			catch (RuntimeException ex) {
				call.completeExceptionally(ex);
			}
		}
	}

	private static void complete(ScriptCall call, boolean succeeded, Object answer) {
		if (succeeded) {
			call.complete(answer);
		}
		else {
			call.completeExceptionally(new IllegalStateException(new String((byte[]) answer, StandardCharsets.UTF_8)));
		}
	}

	/** A single call may be the cause, so that only that one has to fail. */
	private void refused(Throwable refusal) {
		if (Refusals.isCrossSlot(refusal)) {
			this.gathering.end();
			this.gathering.refused.run();
		}
		List<ScriptCall> wanted = this.calls.stream().filter((call) -> !call.isDone()).toList();
		Refusals.divided(wanted, refusal).forEach(this::send);
	}

	private void send(List<ScriptCall> part) {
		try {
			if (part.size() == 1) {
				part.get(0).goAlone();
				this.sender.accept(part.get(0));
			}
			else {
				this.sender.accept(of(this.gathering, part, this.sender));
			}
		}
		catch (Throwable ex) {
			part.forEach((call) -> call.completeExceptionally(ex));
		}
	}

}

package io.distributedlock.redis.internal.driver;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** The end of a call, of which its listener is notified once. */
class ScriptCallTests {

	private final List<@Nullable Object> ends = new ArrayList<>();

	private final ScriptCall call = KeyCall.thatGoesAlone("a");

	ScriptCallTests() {
		this.call.listen((answer, failure) -> this.ends.add((failure != null) ? failure.getClass() : answer));
	}

	@Test
	void cancelWhenRepeatedNotifiesAndWithdrawsOnce() {
		this.call.begin(() -> this.ends.add("withdrawn"));
		assertThat(this.call.cancel(true)).isTrue();
		assertThat(this.call.cancel(true)).isTrue();
		assertThat(this.call.complete("late")).isFalse();
		assertThat(this.ends).containsExactly(CancellationException.class, "withdrawn");
		assertThat(this.call.isCancelled()).isTrue();
	}

	@Test
	void cancelAfterTheAnswerChangesNothing() {
		this.call.complete("answer");
		assertThat(this.call.cancel(true)).isFalse();
		assertThat(this.ends).containsExactly("answer");
	}

}

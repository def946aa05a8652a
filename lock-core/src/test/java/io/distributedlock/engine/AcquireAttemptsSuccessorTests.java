package io.distributedlock.engine;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import io.distributedlock.engine.ScriptedStore.Command;
import io.distributedlock.store.AcquireCommand;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The cases in which a caller goes on with the request of another one of its instance,
 * and the end of a request that none goes on with.
 */
class AcquireAttemptsSuccessorTests {

	private final ManualInstance here = new ManualInstance();

	private final ManualInstance there = this.here.another();

	private CompletableFuture<Lease> last;

	/** It got the token of the attempt without answer, which was older than its call. */
	@Test
	void callerDoesNotGoOnWithAnUnansweredRequestThatIsRepeated() {
		ScriptedStore.Held attempt = this.here.store.hold(Command.ACQUIRE);
		CompletableFuture<Lease> gone = this.here.acquire(request());
		attempt.apply();
		ScriptedStore.Held again = this.here.store.hold(Command.ACQUIRE);
		this.here.advance(Duration.ofMillis(1010));
		CompletableFuture<Lease> late = this.here.acquire(request());
		this.here.advance(Duration.ofMillis(100));
		assertThat(again.isSent()).isTrue();
		gone.cancel(true);
		again.answer();
		this.here.advance(Duration.ofSeconds(3));
		assertThat(late).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(asked(asked().size() - 1).request()).isNotEqualTo(asked(0).request());
	}

	/** It got the token of the claim, which was older than its call. */
	@Test
	void callerDoesNotGoOnWithAGrantedRequestThatIsRepeated() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> gone = this.here.acquire(request());
		this.here.store.deafen();
		this.here.advance(Duration.ofMillis(500));
		held.close();
		this.here.advance(Duration.ofMillis(10));
		CompletableFuture<Lease> late = this.here.acquire(request());
		ScriptedStore.Held again = this.here.store.hold(Command.ACQUIRE);
		this.here.advance(Duration.ofMillis(490));
		assertThat(again.isSent()).isTrue();
		again.apply();
		gone.cancel(true);
		again.answer();
		this.here.advance(Duration.ofSeconds(3));
		assertThat(late).isCompletedWithValueMatching(Lease::isHeld);
		assertThat(asked(asked().size() - 1).request()).isNotEqualTo(asked(0).request());
	}

	/** It got a token of the claim, of which no message had come. */
	@Test
	void callerBehindOneThatWasGivenALockGetsATokenOfAfterItsCall() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> first = this.here.acquire(request());
		this.here.store.deafen();
		this.here.advance(Duration.ofMillis(500));
		held.close();
		this.here.advance(Duration.ofMillis(10));
		long before = this.there.another().acquire(LockRequest.of("b")).join().fencingToken();
		CompletableFuture<Lease> behind = this.here.acquire(request());
		while (!first.isDone()) {
			this.here.advance(Duration.ofMillis(5));
		}
		first.join().close();
		assertThat(sent(Command.ACQUIRE)).isEqualTo(2);
		assertThat(behind.join().fencingToken()).isGreaterThan(before);
	}

	/**
	 * The key was deleted before the message came, and another instance had a larger
	 * token by then.
	 */
	@Test
	void callerDoesNotGetALateClaimOfAKeyThatWasLostBeforeItsCall() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> gone = this.here.acquire(request());
		long claimed = held.fencingToken() + 1;
		this.here.store.locks().remove("", "a");
		this.here.advance(Duration.ofMillis(10));
		Lease newer = this.there.another().acquire(request()).join();
		assertThat(newer.fencingToken()).isGreaterThan(claimed);
		CompletableFuture<Lease> late = this.here.acquire(request());
		this.here.advance(Duration.ofSeconds(1));
		assertThat(sent(Command.ACQUIRE)).isEqualTo(2);
		gone.cancel(true);
		this.here.store.claimed("a", asked(0).request(), claimed);
		assertThat(late).isNotDone();
		newer.close();
		this.here.advance(Duration.ofSeconds(4));
		assertThat(late.join().fencingToken()).isGreaterThan(newer.fencingToken());
	}

	/** It costs no command. */
	@Test
	void callerThatCameAfterTheFirstAttemptGoesOnWithAnotherRequest() {
		this.there.acquire(request()).join();
		CompletableFuture<Lease> gone = this.here.acquire(request());
		this.here.advance(Duration.ofMillis(10));
		CompletableFuture<Lease> late = this.here.acquire(request());
		this.here.advance(Duration.ofMillis(1500));
		assertThat(sent(Command.ACQUIRE)).isEqualTo(2);
		gone.cancel(true);
		assertThat(sent(Command.ACQUIRE)).isEqualTo(2);
		assertThat(sent(Command.ABANDON)).isZero();
		this.here.advance(Duration.ofSeconds(5));
		assertThat(asked(2).request()).isNotEqualTo(asked(0).request());
		assertThat(late).isNotDone();
	}

	@Test
	void callerThatCameBeforeTheFirstAttemptGoesOnWithItsRequest() {
		this.there.acquire(request()).join();
		CompletableFuture<Lease> gone = this.here.acquire(request());
		CompletableFuture<Lease> late = this.here.acquire(request());
		this.here.advance(Duration.ofMillis(1500));
		gone.cancel(true);
		this.here.advance(Duration.ofSeconds(5));
		assertThat(sent(Command.ACQUIRE)).isGreaterThan(2);
		assertThat(asked()).allMatch((each) -> each.request().equals(asked(0).request()));
		assertThat(late).isNotDone();
	}

	/** The message found no caller, and the lock stayed free for a second. */
	@Test
	void claimOfTheRequestBeforeIsGivenUpWithTheLastCaller() {
		Lease held = leftWithoutACommand();
		ScriptedStore.Held abandon = this.here.store.hold(Command.ABANDON);
		this.last.cancel(true);
		assertThat(abandon.isSent()).isTrue();
		held.close();
		abandon.answer();
		assertThat(this.here.store.isLocked("a")).isFalse();
		assertThat(sent(Command.ABANDON)).isOne();
	}

	/** The same after the other request was sent, and before its answer. */
	@Test
	void claimOfTheRequestBeforeIsGivenUpDuringAnAttempt() {
		Lease held = leftWithoutACommand();
		ScriptedStore.Held attempt = this.here.store.hold(Command.ACQUIRE);
		this.here.store.deafen();
		this.here.advance(Duration.ofSeconds(1));
		assertThat(attempt.isSent()).isTrue();
		held.close();
		this.last.cancel(true);
		assertThat(this.here.store.isLocked("a")).isFalse();
	}

	private Lease leftWithoutACommand() {
		Lease held = this.there.acquire(request()).join();
		CompletableFuture<Lease> gone = this.here.acquire(request());
		this.here.advance(Duration.ofMillis(10));
		this.last = this.here.acquire(request());
		gone.cancel(true);
		assertThat(sent(Command.ACQUIRE)).isOne();
		assertThat(sent(Command.ABANDON)).isZero();
		return held;
	}

	private int sent(Command command) {
		return this.here.store.sent(command);
	}

	private List<AcquireCommand> asked() {
		return this.here.store.asked();
	}

	private AcquireCommand asked(int index) {
		return asked().get(index);
	}

	private static LockRequest request() {
		return LockRequest.of("a").waitFor(Duration.ofSeconds(30));
	}

}

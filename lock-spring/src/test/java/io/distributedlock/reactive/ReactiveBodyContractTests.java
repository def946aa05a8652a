package io.distributedlock.reactive;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeoutException;

import io.distributedlock.LockLostException;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenLost;
import io.distributedlock.engine.SharedLocks;
import io.distributedlock.test.store.Patience;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A body whose code still runs in the thread that subscribes to it, when its sequence has
 * already been ended by another thread.
 */
public abstract class ReactiveBodyContractTests extends ReactiveInstances {

	private final CountDownLatch running = new CountDownLatch(1);

	private final CountDownLatch goOn = new CountDownLatch(1);

	private final Sinks.Empty<Void> end = Sinks.empty();

	protected ReactiveBodyContractTests(SharedLocks locks) {
		super(locks);
	}

	@AfterEach
	void letTheCodeReturn() {
		this.goOn.countDown();
	}

	@Test
	void cancelWhenCodeRunsReleasesAfterIt() throws InterruptedException {
		Disposable guarded = this.template.execute(request(), (lease) -> code()).subscribe();
		this.running.await();
		guarded.dispose();
		assertThat(isFree()).isFalse();
		this.goOn.countDown();
		awaitFree();
	}

	@Test
	void cancelWhenCodeOfTheActionRunsReleasesAfterIt() throws InterruptedException {
		Disposable guarded = this.template.execute(request(), (lease) -> {
			runCode();
			return Mono.empty();
		}).subscribe();
		this.running.await();
		guarded.dispose();
		assertThat(isFree()).isFalse();
		this.goOn.countDown();
		awaitFree();
	}

	/** The thread is another one than those that have subscribed to the bodies around. */
	@Test
	void cancelWhenCodeOfBodiesInsideRunsReleasesAfterIt() throws InterruptedException {
		LockRequest inside = request().name("inside");
		LockRequest innermost = request().name("innermost");
		Disposable guarded = this.template
			.execute(request(),
					(lease) -> this.template.execute(inside,
							(inner) -> this.template.execute(innermost, (third) -> code())))
			.subscribe();
		this.running.await();
		guarded.dispose();
		assertThat(isFree()).isFalse();
		this.goOn.countDown();
		awaitFree();
	}

	@Test
	void cancelWhenCodeRunsElsewhereReleasesAfterIt() throws InterruptedException {
		Disposable guarded = this.template.executeMany(request(), (lease) -> began(), this.end::asMono)
			.singleOrEmpty()
			.subscribe();
		this.running.await();
		guarded.dispose();
		staysTaken();
		this.end.tryEmitEmpty();
		awaitFree();
	}

	/** The lock stayed taken until the instance was closed. */
	@Test
	void cancelWhenCodeElsewhereFailsReleases() throws InterruptedException {
		Disposable guarded = this.template.executeMany(request(), (lease) -> began(), this.end::asMono).subscribe();
		this.running.await();
		guarded.dispose();
		this.end.tryEmitError(new IllegalStateException("elsewhere"));
		awaitFree();
	}

	@Test
	void cancelOfManyWhenCodeRunsElsewhereReleasesAfterIt() throws InterruptedException {
		Disposable guarded = this.template.executeMany(request(), (lease) -> began(), this.end::asMono).subscribe();
		this.running.await();
		guarded.dispose();
		staysTaken();
		this.end.tryEmitEmpty();
		awaitFree();
	}

	@Test
	void failureWhenCodeRunsElsewhereIsToldAfterIt() throws InterruptedException {
		CompletableFuture<Object> result = this.template.executeMany(request(), (lease) -> {
			this.running.countDown();
			return Mono.error(new IllegalStateException("body"));
		}, this.end::asMono).singleOrEmpty().toFuture();
		this.running.await();
		staysTaken();
		assertThat(result).isNotDone();
		this.end.tryEmitEmpty();
		assertThat(result).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.withCauseInstanceOf(IllegalStateException.class);
		assertThat(isFree()).isTrue();
	}

	private Mono<Object> began() {
		return Mono.never().doOnSubscribe((subscription) -> this.running.countDown());
	}

	/** For longer than a release takes that waits for nothing. */
	private void staysTaken() {
		Awaitility.await().during(Duration.ofMillis(300)).failFast("free too early", this::isFree).until(() -> true);
	}

	@Test
	void failureWhenCodeRunsReleasesAfterIt() throws InterruptedException {
		CompletableFuture<Object> result = this.template
			.execute(request(), (lease) -> code().timeout(this.end.asMono()))
			.toFuture();
		this.running.await();
		this.end.tryEmitEmpty();
		assertThat(isFree()).isFalse();
		assertThat(result).isNotDone();
		this.goOn.countDown();
		assertThat(result).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.withCauseInstanceOf(TimeoutException.class);
		assertThat(isFree()).isTrue();
	}

	@Test
	void completionWhenCodeRunsReleasesAfterIt() throws InterruptedException {
		CompletableFuture<Object> result = this.template
			.execute(request(), (lease) -> code().takeUntilOther(this.end.asMono()))
			.toFuture();
		this.running.await();
		this.end.tryEmitEmpty();
		assertThat(isFree()).isFalse();
		assertThat(result).isNotDone();
		this.goOn.countDown();
		assertThat(result).succeedsWithin(Patience.CEILING).isNull();
		assertThat(isFree()).isTrue();
	}

	/** The subscriber saw two ends of the body, and the release waited for neither. */
	@Test
	void cancelWhenCodeRunsAndTheBodyHasCompletedReleasesAfterIt() throws InterruptedException {
		Disposable guarded = this.template.execute(request(), (lease) -> code().takeUntilOther(this.end.asMono()))
			.subscribe();
		this.running.await();
		this.end.tryEmitEmpty();
		guarded.dispose();
		assertThat(isFree()).isFalse();
		this.goOn.countDown();
		awaitFree();
	}

	@Test
	void cancelWhenCodeRunsAndTheBodyHasFailedReleasesAfterIt() throws InterruptedException {
		Disposable guarded = this.template.execute(request(), (lease) -> code().timeout(this.end.asMono())).subscribe();
		this.running.await();
		this.end.tryEmitEmpty();
		guarded.dispose();
		assertThat(isFree()).isFalse();
		this.goOn.countDown();
		awaitFree();
	}

	@Test
	void cancelWhenItComesFromTheCodeReleasesAfterIt() throws InterruptedException {
		Flux<String> guarded = this.template.executeMany(request(), (lease) -> Flux.create((sink) -> {
			sink.next("first");
			runCode();
		}));
		assertThat(guarded.next().toFuture()).succeedsWithin(Patience.CEILING).isEqualTo("first");
		this.running.await();
		assertThat(isFree()).isFalse();
		this.goOn.countDown();
		awaitFree();
	}

	@Test
	void completionWhenItComesFromTheCodeReleasesAfterIt() throws InterruptedException {
		CompletableFuture<String> result = this.template.execute(request(), (lease) -> Mono.<String>create((sink) -> {
			sink.success("done");
			runCode();
		})).toFuture();
		this.running.await();
		assertThat(isFree()).isFalse();
		assertThat(result).isNotDone();
		this.goOn.countDown();
		assertThat(result).succeedsWithin(Patience.CEILING).isEqualTo("done");
		assertThat(isFree()).isTrue();
	}

	@Test
	void failureWhenItComesFromTheCodeReleasesAfterIt() throws InterruptedException {
		CompletableFuture<Object> result = this.template.execute(request(), (lease) -> Mono.create((sink) -> {
			sink.error(new IllegalStateException("body"));
			runCode();
		})).toFuture();
		this.running.await();
		assertThat(isFree()).isFalse();
		assertThat(result).isNotDone();
		this.goOn.countDown();
		assertThat(result).failsWithin(Patience.CEILING).withThrowableThat().withMessageContaining("body");
		assertThat(isFree()).isTrue();
	}

	/**
	 * There is nothing to release any more, so the loss does not wait for the code. A
	 * lease that is lost before the code begins prevents the code from running.
	 */
	@Test
	void lossWhenInterruptAndCodeRunsIsToldBefore() throws InterruptedException {
		CompletableFuture<Object> result = this.template
			.execute(brief().whenLost(WhenLost.INTERRUPT), (lease) -> code())
			.toFuture();
		this.running.await();
		steal();
		assertThat(result).failsWithin(Patience.CEILING)
			.withThrowableThat()
			.withCauseInstanceOf(LockLostException.class);
	}

	private Mono<Object> code() {
		return Mono.fromRunnable(this::runCode);
	}

	/**
	 * Does not mind the interrupt by which a scheduler cancels, and so goes on with it.
	 */
	private void runCode() {
		this.running.countDown();
		boolean interrupted = false;
		while (this.goOn.getCount() > 0) {
			try {
				this.goOn.await();
			}
			catch (InterruptedException ex) {
				interrupted = true;
			}
		}
		if (interrupted) {
			Thread.currentThread().interrupt();
		}
	}

}

package io.distributedlock.interceptor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.distributedlock.Documents;
import io.distributedlock.Lease;
import io.distributedlock.LockRegistry;
import io.distributedlock.LockRequest;
import io.distributedlock.WhenBusy;
import io.distributedlock.annotation.DistributedLock;
import io.distributedlock.reactive.ReactiveLockTemplate;
import io.distributedlock.test.store.Patience;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import static org.assertj.core.api.Assertions.assertThat;

/** The examples of the reference documentation of results. */
class ResultsReferenceTests {

	private final GuardedContext context = new GuardedContext();

	@AfterEach
	void close() {
		this.context.close();
	}

	private Shop shop() {
		return this.context.start(Shop.class).bean(Shop.class);
	}

	@Test
	void examplesWhenOnThePageAreInThisTest() throws IOException {
		assertThat(DocumentedExamples.of("results.md")).hasSizeGreaterThan(2)
			.allSatisfy(
					(example) -> assertThat(DocumentedExamples.codeOf(ResultsReferenceTests.class)).contains(example));
	}

	@Test
	void examplesWhenInKotlinAreInTheTestsOfKotlin() throws IOException {
		String tests = Files
			.readString(Path.of("../tests/kotlin/src/test/kotlin/io/distributedlock/kotlin/GuardedSuspendTests.kt"));
		assertThat(Pattern.compile("```kotlin\n(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Documents.file("results.md")))
			.results()
			.map((MatchResult block) -> block.group(1))).isNotEmpty()
			.allSatisfy((example) -> assertThat(tests.replaceAll("\\s", "")).contains(example.replaceAll("\\s", "")));
	}

	@Test
	void monoWhenSubscribedKnowsItsLease() {
		assertThat(shop().reserve("7").block(Patience.CEILING)).isPositive();
	}

	@Test
	void fluxWhenBusyIsEmpty() {
		Shop shop = shop();
		assertThat(shop.history("7").collectList().block(Patience.CEILING)).containsExactly(1, 2);
		try (Lease busy = this.context.holdElsewhere("stock", "7")) {
			assertThat(shop.quickHistory("7").collectList().block(Patience.CEILING)).isEmpty();
		}
	}

	@Test
	void templateWhenUsedGivesTheToken() {
		shop();
		ReactiveLockTemplate template = new ReactiveLockTemplate(this.context.bean(LockRegistry.class));
		Mono<Integer> reserved = template.execute(LockRequest.of("stock:7").waitFor(Duration.ofSeconds(2)),
				(lease) -> write("7", lease.fencingToken()));
		assertThat(reserved.block(Patience.CEILING)).isPositive();
	}

	private static Mono<Integer> write(String item, long token) {
		return Mono.just((int) (token % 1000) + item.length());
	}

	static class Shop {

		@DistributedLock(name = "stock", key = "#item", ttl = "10s")
		public Mono<Integer> reserve(String item) {
			return ReactiveLockTemplate.currentLease().flatMap((lease) -> write(item, lease.fencingToken()));
		}

		@DistributedLock(name = "stock", key = "#item", whenBusy = WhenBusy.SKIP)
		public Flux<Integer> history(String item) {
			return Flux.just(1, 2);
		}

		@DistributedLock(name = "stock", key = "#item", waitFor = "0", whenBusy = WhenBusy.SKIP)
		public Flux<Integer> quickHistory(String item) {
			return Flux.just(1, 2);
		}

	}

}

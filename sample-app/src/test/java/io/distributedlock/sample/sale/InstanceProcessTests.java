package io.distributedlock.sample.sale;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

class InstanceProcessTests {

	private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);

	@Test
	void awaitTallyWhenInstanceSellsTellsTally() throws Exception {
		try (InstanceProcess instance = start(Selling.class)) {
			instance.awaitReady(PATIENCE);
			instance.say(Protocol.GO);
			assertThat(instance.awaitTally(PATIENCE)).isEqualTo(new Tally(1, 2, 3));
		}
	}

	@Test
	void awaitReadyWhenInstanceFailsTellsItsOutput() throws Exception {
		try (InstanceProcess instance = start(Failing.class)) {
			assertThatIllegalStateException().isThrownBy(() -> instance.awaitReady(PATIENCE))
				.withMessageContaining("instance-1")
				.withMessageContaining("ended early")
				.withMessageContaining("no database today");
		}
	}

	@Test
	void awaitReadyWhenInstanceIsSilentGivesUp() throws Exception {
		try (InstanceProcess instance = start(Silent.class)) {
			assertThatIllegalStateException().isThrownBy(() -> instance.awaitReady(1))
				.withMessageContaining("did not answer in time");
		}
	}

	@Test
	void closeWhenInstanceRunsEndsIt() throws Exception {
		InstanceProcess instance = start(Silent.class);
		instance.close();
		assertThat(instance.isAlive()).isFalse();
	}

	/** The effect on an instance of {@code kill -9} of the main process. */
	@Test
	void instanceWhenParentIsKilledEnds() throws Exception {
		Process parent = new ProcessBuilder(java(Parent.class)).start();
		String line = parent.inputReader().readLine();
		ProcessHandle child = ProcessHandle.of(Long.parseLong(line)).orElseThrow();
		assertThat(child.isAlive()).isTrue();
		parent.destroyForcibly().waitFor();
		Awaitility.await().atMost(Duration.ofMinutes(4)).until(() -> !child.isAlive());
	}

	private static InstanceProcess start(Class<?> main) throws Exception {
		return InstanceProcess.start("instance-1", new ProcessBuilder(java(main)), (report) -> {
		});
	}

	private static String[] java(Class<?> main) {
		return new String[] { ProcessHandle.current().info().command().orElseThrow(), "-cp",
				System.getProperty("java.class.path"), main.getName() };
	}

	static final class Selling {

		public static void main(String[] args) throws InterruptedException {
			ParentLine parent = new ParentLine(System.in, () -> Runtime.getRuntime().halt(1), Map.of());
			System.out.println(Protocol.READY);
			parent.awaitGo();
			System.out.println(Protocol.TALLY + new Tally(1, 2, 3).format());
		}

	}

	static final class Failing {

		public static void main(String[] args) {
			throw new IllegalStateException("no database today");
		}

	}

	static final class Silent {

		public static void main(String[] args) throws InterruptedException {
			new ParentLine(System.in, () -> Runtime.getRuntime().halt(1), Map.of()).awaitGo();
		}

	}

	/** Starts an instance, prints its process id and waits to be killed. */
	static final class Parent {

		public static void main(String[] args) throws Exception {
			InstanceProcess child = start(Silent.class);
			System.out.println(child.pid());
			new ParentLine(System.in, () -> Runtime.getRuntime().halt(1), Map.of()).awaitGo();
		}

	}

}

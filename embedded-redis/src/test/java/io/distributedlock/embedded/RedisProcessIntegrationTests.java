package io.distributedlock.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * {@link RedisProcess}, which must leave nothing behind.
 */
class RedisProcessIntegrationTests {

	/** The files that a killed JVM leaves behind go with the test. */
	@TempDir
	private Path folder;

	@Test
	void serverWhenItsJvmIsKilledDies() throws Exception {
		Process child = childJvm();
		try (BufferedReader output = child.inputReader()) {
			long pid = Long.parseLong(output.readLine());
			ProcessHandle server = ProcessHandle.of(pid).orElseThrow();
			assertThat(server.info().command()).hasValueSatisfying((command) -> assertThat(command).contains("redis"));
			child.destroyForcibly();
			Awaitility.await().atMost(Duration.ofMinutes(4)).until(() -> !server.isAlive());
		}
		finally {
			child.destroyForcibly();
		}
	}

	@Test
	void serverWhenPausedAndItsJvmIsKilledDies() throws Exception {
		Process child = childJvm("pause");
		try (BufferedReader output = child.inputReader()) {
			ProcessHandle server = ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow();
			child.destroyForcibly();
			Awaitility.await().atMost(Duration.ofMinutes(4)).until(() -> !server.isAlive());
		}
		finally {
			child.destroyForcibly();
		}
	}

	@Test
	void serverWhenKilledLeavesNoProcess() {
		try (RedisProcess server = RedisProcess.start(binary(), List.of())) {
			assertThat(ownServers()).isPositive();
			server.kill();
			Awaitility.await().atMost(Duration.ofMinutes(4)).untilAsserted(() -> assertThat(ownServers()).isZero());
		}
	}

	@Test
	void serverWhenPortIsTakenSaysSo() throws IOException {
		try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
			assertThatExceptionOfType(PortTakenException.class).isThrownBy(
					() -> RedisProcess.start(binary(), List.of("--port", Integer.toString(taken.getLocalPort()))));
		}
	}

	private static long ownServers() {
		return ProcessHandle.current()
			.descendants()
			.filter((process) -> process.info().command().orElse("").contains("redis-server"))
			.count();
	}

	private static ServerBinary binary() {
		return ServerBinary.bundled().or(ServerBinary::onPath).orElseThrow();
	}

	private Process childJvm(String... arguments) throws IOException {
		List<String> command = new ArrayList<>(List.of(
				Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Djava.io.tmpdir=" + this.folder,
				"-cp", System.getProperty("java.class.path"), Child.class.getName()));
		command.addAll(List.of(arguments));
		return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
	}

	/** Starts a server, prints its process id and waits to be killed. */
	static final class Child {

		private Child() {
		}

		public static void main(String[] arguments) throws InterruptedException {
			RedisProcess server = RedisProcess.start(binary(), List.of());
			long pid = ProcessHandle.current()
				.children()
				.filter((process) -> process.info().command().orElse("").contains("redis-server"))
				.findFirst()
				.orElseThrow()
				.pid();
			if (arguments.length > 0) {
				server.pause();
			}
			System.out.println(pid);
			TimeUnit.MINUTES.sleep(2);
		}

	}

}

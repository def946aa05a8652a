package io.distributedlock.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link PortReservation}: tests of several JVMs start servers at the same time, and
 * restart them.
 */
class PortReservationIntegrationTests {

	@Test
	void portWhenItsServerIsDownIsGivenToNoOther() {
		RedisProcess server = RedisProcess.start(RedisServers.binary(), List.of());
		server.kill();
		assertThat(FreePort.free(server.port())).isNull();
		server.start();
		server.close();
		assertFree(server.port());
	}

	@Test
	void busOfAClusterHasAPortOfItsOwn() {
		ServerGroup group = new ServerGroup();
		int port = group.port();
		assertThat(FreePort.free(port)).isNull();
		group.close();
		assertFree(port);
	}

	@Test
	void portWhenReservedByAnotherJvmIsRefused() throws IOException {
		Process other = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"), "-cp",
				System.getProperty("java.class.path"), Other.class.getName())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		try (BufferedReader output = other.inputReader()) {
			assertThat(FreePort.free(Integer.parseInt(output.readLine()))).isNull();
		}
		finally {
			other.destroyForcibly();
		}
	}

	private static void assertFree(int port) {
		PortReservation reservation = FreePort.free(port);
		assertThat(reservation).isNotNull();
		reservation.close();
	}

	/** Reserves a port, prints it and waits to be killed. */
	static final class Other {

		private Other() {
		}

		public static void main(String[] arguments) throws IOException {
			System.out.println(FreePort.choose().port());
			System.in.read();
		}

	}

}

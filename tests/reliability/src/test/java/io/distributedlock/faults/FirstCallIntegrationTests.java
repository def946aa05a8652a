package io.distributedlock.faults;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.distributedlock.Lease;
import io.distributedlock.LockRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The first contended call of an application was later than its budget by the time in
 * which classes of the engine were loaded.
 */
class FirstCallIntegrationTests extends InstancesOnServer {

	@Test
	void firstCallWhenTheLockIsBusyFindsTheClassesOfTheEngineLoaded(@TempDir Path directory) throws Exception {
		Path log = directory.resolve("classes.log");
		try (Lease ignored = this.here.acquire(LockRequest.of("first"));
				FirstCallProcess process = new FirstCallProcess(log, this.redis.server.host(), this.redis.server.port(),
						"first")) {
			System.out.printf("The first contended call of a process was late by %d ms%n", process.lateMillis);
		}
		assertThat(duringTheCall(Files.readAllLines(log))).isNotEmpty()
			.noneMatch((line) -> line.contains("io.distributedlock.engine."));
	}

	private static List<String> duringTheCall(List<String> classes) {
		return classes.stream()
			.dropWhile((line) -> !line.contains(FirstCallProcess.Beginning.class.getName()))
			.takeWhile((line) -> !line.contains(FirstCallProcess.End.class.getName()))
			.toList();
	}

}

package io.distributedlock.faults;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tokens from five servers whose clocks differ by up to 400 ms.
 */
class QuorumTokensIntegrationTests {

	private static final int ACQUISITIONS = Integer.getInteger("quorum.acquisitions", 5_000);

	private static final List<Integer> SKEWS = List.of(0, 200, -200, 90, -120);

	private static final List<RedisServer> SERVERS = new ArrayList<>();

	private static final List<RedisClient> CLIENTS = new ArrayList<>();

	private static final List<ServerClock> CLOCKS = new ArrayList<>();

	@BeforeAll
	static void startServers() {
		for (int skew : SKEWS) {
			RedisServer server = RedisServers.start();
			RedisClient client = RedisClient.create(RedisURI.create(server.host(), server.port()));
			ServerClock clock = new ServerClock(client.connect().sync());
			clock.step(Duration.ofMillis(skew));
			SERVERS.add(server);
			CLIENTS.add(client);
			CLOCKS.add(clock);
		}
	}

	@AfterAll
	static void stopServers() {
		CLOCKS.forEach(ServerClock::close);
		CLIENTS.forEach(RedisClient::shutdown);
		SERVERS.forEach(RedisServer::close);
	}

	@Test
	void tokensWhenWrittenBackToAMajorityGrowStrictly() throws IOException {
		assertThat(outOfOrder(false, ACQUISITIONS)).isZero();
	}

	/** The control: Redlock without the second round. */
	@Test
	void tokensWhenOnlyTheLargestOfAMajorityIsTakenAreOutOfOrder() throws IOException {
		assertThat(outOfOrder(true, 2_000)).isPositive();
	}

	private static int outOfOrder(boolean singleRound, int acquisitions) throws IOException {
		List<Integer> ports = SERVERS.stream().map(RedisServer::port).toList();
		try (QuorumTokensProcess process = new QuorumTokensProcess(CLOCKS.get(0).jvmOptions(), singleRound,
				acquisitions, ports)) {
			return process.outOfOrder();
		}
	}

}

package io.distributedlock.engine.simulation;

import io.distributedlock.embedded.RedisServer;
import io.distributedlock.embedded.RedisServers;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.codec.ByteArrayCodec;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

/**
 * The scripts do the same as the lock table: equal random commands to a table and to a
 * real server have to be answered alike.
 */
class SimulationScriptsIntegrationTests {

	private static final int RUNS = Integer.getInteger("simulation.runs", 60);

	private static RedisServer server;

	private static RedisClient client;

	private static SimulationRedis redis;

	@BeforeAll
	static void startServer() {
		server = RedisServers.start();
		client = RedisClient.create(RedisURI.create(server.host(), server.port()));
		redis = new SimulationRedis(client.connect(ByteArrayCodec.INSTANCE).sync());
	}

	@AfterAll
	static void stopServer() {
		client.shutdown();
		server.close();
	}

	@Test
	void scriptsAnswerLikeTheTable() {
		long first = Long.getLong("simulation.seed", 1);
		for (long seed = first; seed < first + RUNS; seed++) {
			compare(seed, new SimulationTable());
		}
	}

	@Test
	void lineHasAsManyPlaces() {
		new SimulationComparison(0, redis, new SimulationTable()).throng();
	}

	/** The comparison has to be able to fail. */
	@Test
	void tableWithoutTombstonesIsNoticed() {
		assertThatThrownBy(() -> {
			for (long seed = 1; seed <= RUNS; seed++) {
				compare(seed, SimulationBrokenScripts.forgetsAbandoned(new SimulationTable()));
			}
		}).isInstanceOf(AssertionError.class).hasMessageContaining("-Dsimulation.seed=");
	}

	private static void compare(long seed, SimulationScripts table) {
		new SimulationComparison(seed, redis, table).run();
	}

}

package io.distributedlock.redis;

import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisServerCommands;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * {@link NodeIdentity}: which of several names of a server has its vote.
 */
class NodeIdentityTests {

	private static final String ONE = "0123456789abcdef0123456789abcdef01234567";

	private static final String OTHER = "f123456789abcdef0123456789abcdef01234567";

	private final List<NodeIdentity> nodes = NodeIdentity.of(
			Stream.of("redis://a", "redis://b", "redis://c").map(RedisNodeAddress::parse).toList(), Duration.ZERO,
			System::nanoTime);

	private final NodeIdentity a = this.nodes.get(0);

	private final NodeIdentity b = this.nodes.get(1);

	private final NodeIdentity c = this.nodes.get(2);

	@Test
	void nodesWhenTheyAreDifferentServersHaveAVoteEach() {
		meet(this.a, ONE);
		meet(this.b, OTHER);
		assertThat(this.nodes).allMatch((node) -> node.twin() == null);
	}

	@Test
	void nodesWhenTheyAreOneServerHaveOneVote() {
		meet(this.c, ONE);
		meet(this.a, ONE);
		meet(this.b, ONE);
		meet(this.a, ONE);
		assertThat(this.a.twin()).isSameAs(this.c);
		assertThat(this.b.twin()).isSameAs(this.c);
		assertThat(this.c.twin()).isNull();
	}

	/** A name may lead to another server later. */
	@Test
	void nodesWhenTheOneWithTheVoteHasMovedHaveOneAmongThem() {
		meet(this.c, ONE);
		meet(this.a, ONE);
		meet(this.b, ONE);
		meet(this.c, OTHER);
		assertThat(this.a.twin()).isNull();
		assertThat(this.b.twin()).isSameAs(this.a);
		assertThat(this.c.twin()).isNull();
	}

	@Test
	void nodeWhenItHasMovedAwayFromItsTwinHasItsVote() {
		meet(this.a, ONE);
		meet(this.b, ONE);
		meet(this.b, OTHER);
		assertThat(this.nodes).allMatch((node) -> node.twin() == null);
		meet(this.a, OTHER);
		assertThat(this.a.twin()).isSameAs(this.b);
	}

	/** Proxies may say the same for every server. */
	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", "0", "redis", "0000000000000000000000000000000000000000" })
	void nodesWhenTheyDoNotSayWhoTheyAreHaveAVoteEach(String said) {
		this.nodes.forEach((node) -> meet(node, said));
		assertThat(this.nodes).allMatch((node) -> node.twin() == null);
	}

	/** Some proxies leave fields of INFO out. */
	@Test
	void nodeThatDoesNotSayWhenItStartedIsRefusedWithADelayOnly() {
		NodeIdentity delayed = NodeIdentity
			.of(List.of(RedisNodeAddress.parse("redis://d")), Duration.ofSeconds(30), System::nanoTime)
			.get(0);
		this.a.look(connection());
		assertThat(this.a.quarantine(Duration.ofSeconds(30))).isNull();
		assertThatIllegalStateException().isThrownBy(() -> delayed.look(connection()))
			.withMessageStartingWith("LOCKUPTIME");
	}

	private static RedisConnection connection() {
		RedisServerCommands commands = mock(RedisServerCommands.class);
		given(commands.info()).willReturn(new Properties());
		RedisConnection connection = mock(RedisConnection.class);
		given(connection.serverCommands()).willReturn(commands);
		return connection;
	}

	@Test
	void nodeInMessagesSaysWhereItIsConfiguredAndWhereItIs() {
		assertThat(this.b).hasToString("distributed-lock.redlock.nodes[1], redis://b:6379");
	}

	private static void meet(NodeIdentity node, String runId) {
		Properties about = new Properties();
		if (runId != null) {
			about.setProperty("run_id", runId);
		}
		node.met(about);
	}

}

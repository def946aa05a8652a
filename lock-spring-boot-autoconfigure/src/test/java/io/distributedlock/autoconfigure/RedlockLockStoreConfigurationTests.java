package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.stream.Stream;

import io.distributedlock.LockRegistry;
import io.distributedlock.autoconfigure.RedlockConnectionDetails.Node;
import io.distributedlock.autoconfigure.diagnostics.FailureReports;
import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.memory.MemoryLockStore;
import io.distributedlock.redis.RedisQuorumNode;
import io.distributedlock.redlock.RedlockLockStore;
import io.distributedlock.store.LockStore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnectionFactory;

import static org.assertj.core.api.Assertions.assertThat;

class RedlockLockStoreConfigurationTests {

	private static final String THREE = "distributed-lock.redlock.nodes=redis://127.0.0.1:1,redis://127.0.0.1:2,"
			+ "rediss://user:secret@[::1]:3/2";

	private final ApplicationContextRunner runner = new ApplicationContextRunner()
		.withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
		.withPropertyValues("distributed-lock.store=redlock", "distributed-lock.shutdown.grace-period=0");

	@Test
	void storeWhenNodesAreConfiguredIsThereAndNeedsNoneOfThemToStart() {
		this.runner.withPropertyValues(THREE)
			.run((context) -> assertThat(context).hasNotFailed()
				.hasSingleBean(RedlockLockStore.class)
				.hasSingleBean(LockRegistry.class));
	}

	@Test
	void connectionsOfTheNodesAreNoBeans() {
		this.runner.withPropertyValues(THREE)
			.run((context) -> assertThat(context).doesNotHaveBean(RedisConnectionFactory.class));
		this.runner.withConfiguration(AutoConfigurations.of(BootTypes.REDIS))
			.withPropertyValues(THREE)
			.run((context) -> assertThat(context).hasSingleBean(RedisConnectionFactory.class));
	}

	@Test
	void storeWhenTheApplicationHasItsOwnIsThatOne() {
		this.runner.withBean("distributedLockStore", LockStore.class, MemoryLockStore::new)
			.run((context) -> assertThat(context).hasNotFailed().doesNotHaveBean(RedlockLockStore.class));
	}

	@Test
	void startWhenSpringDataRedisIsMissingSaysSo() {
		this.runner.withPropertyValues(THREE)
			.withClassLoader(new FilteredClassLoader(RedisConnectionFactory.class))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.hasMessageContaining("store=redlock cannot be had: Spring Data Redis is not on the class path"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					                                                                          | but there are 0
					redis://a:1                                                               | but there are 1
					redis://a:1,redis://b:1                                                   | but there are 2
					redis://a:1,redis://b:1,redis://c:1,redis://d:1                           | of an even one no more may fail than of one less, but there are 4
					redis://a:1,redis://b:1,redis://A:1/3                                     | nodes[2]=redis://A:1/3 is the same server as redis://a:1, and would have two votes
					redis://a,redis://b:1,redis://u:p@a:6379                                  | the same server as redis://a:6379
					redis://a:1,redis://b:1,http://user:secret@c:1                            | begins neither with redis:// nor with rediss://
					redis://a:1,redis://b:1,c:1                                               | begins neither with redis:// nor with rediss://
					redis://a:1,redis://b:1,redis://user:sec{ret@c:1                          | is not a URI
					redis://a:1,redis://b:1,redis://user:secret@c:1/locks                     | something else than the number of a database
					redis://a:1,redis://b:1,redis://user:secret@c:1?timeout=1s                | more than a database
					redis://a:1,redis://b:1,redis:///1                                        | no valid host
					redis://a:1,redis://b:1,redis://user:secret@c:70000                       | nodes[2]=**** has the port 70000; use 1 to 65535
					redis://a:1,redis://b:1,redis://c:0                                       | has the port 0; use 1 to 65535
					redis://a:1,redis://b:1,redis://127.0.0.1:abc                             | nodes[2]=**** has a port that is no number from 1 to 65535
					redis://a:1,redis://b:1,redis://c:99999999999                             | has a port that is no number from 1 to 65535
					redis://a:1,redis://b:1,redis://c:-1                                      | has a port that is no number from 1 to 65535
					redis://a:1,redis://b:1,redis://user:secret@lo_cal:1                      | has no valid host: one has only letters, digits, '.'
					redis://a:1,redis://b:1,redis://c:1?timeout=2s                            | nodes[2]=**** has more than a database
					""")
	void startWhenNodesCannotBeAQuorumSaysWhyWithoutPasswords(String nodes, String reason) {
		this.runner.withPropertyValues("distributed-lock.redlock.nodes=" + ((nodes != null) ? nodes : ""))
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageContaining("distributed-lock.redlock.nodes")
				.hasMessageContaining((reason != null) ? reason : "")
				.satisfies((ex) -> assertThat(ex.getMessage()).doesNotContain("secret").doesNotContain("sec{ret")));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					locks   | rediss://a,rediss://b,redis://c:1 | nodes[2]=redis://c:1 is without TLS, and distributed-lock.redlock.ssl.bundle is set
					unknown | rediss://a,rediss://b,rediss://c  | ssl.bundle=unknown names no SSL bundle; there are [absent, cipher, locks]. Correct the name, or declare the bundle: spring.ssl.bundle.pem.unknown
					''      | rediss://a,rediss://b,rediss://c  | ssl.bundle= names no SSL bundle
					absent  | rediss://a,rediss://b,rediss://c  | ssl.bundle=absent cannot be used: class path resource [absent.pem]
					cipher  | rediss://a,rediss://b,rediss://c  | ssl.bundle=cipher cannot be used: Unsupported CipherSuite: NONE
					""")
	void startWhenTheSslBundleCannotWorkSaysWhy(String bundle, String nodes, String reason) {
		this.runner.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
			.withPropertyValues("distributed-lock.redlock.ssl.bundle=" + bundle,
					"distributed-lock.redlock.nodes=" + nodes, "spring.ssl.bundle.pem.locks.protocol=TLS",
					"spring.ssl.bundle.pem.cipher.options.ciphers=NONE",
					"spring.ssl.bundle.pem.absent.truststore.certificate=classpath:absent.pem")
			.run((context) -> assertThat(context).getFailure().hasStackTraceContaining(reason));
	}

	@Test
	void startWhenThereAreNoSslBundlesNamesTheRemedy() {
		this.runner.withPropertyValues(THREE, "distributed-lock.redlock.ssl.bundle=locks")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageStartingWith("distributed-lock.redlock.ssl.bundle=locks needs an SslBundles bean")
				.hasMessageContaining("SslAutoConfiguration"));
	}

	/** As that of a test, which inherits the nodes of the application. */
	@Test
	void nodesWhenABeanSaysThemAreThose() {
		this.runner.withPropertyValues(THREE, "distributed-lock.redlock.ssl.bundle=unknown")
			.withBean(RedlockConnectionDetails.class, () -> details("a", "b", "c"))
			.run((context) -> assertThat(context.getBean(RedlockNodeSet.class).nodes())
				.extracting(RedisQuorumNode::name)
				.containsExactly("redis://a:1", "redis://b:1", "redis://c:1"));
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			a,b   | nodes (RedlockConnectionDetails)=[redis://a:1, redis://b:1] cannot work
			a,b,A | nodes[2] (RedlockConnectionDetails)=redis://A:1 is the same server as redis://a:1
			""")
	void startWhenNodesOfABeanCannotBeAQuorumNamesIt(String hosts, String reason) {
		this.runner.withPropertyValues(THREE)
			.withBean(RedlockConnectionDetails.class, () -> details(hosts.split(",")))
			.run((context) -> {
				assertThat(context).getFailure()
					.rootCause()
					.hasMessageStartingWith("distributed-lock.redlock." + reason);
				assertThat(FailureReports.of(context.getStartupFailure()).getDescription()).contains("Origin: unknown");
			});
	}

	private static RedlockConnectionDetails details(String... hosts) {
		return () -> Stream.of(hosts).map((host) -> Node.of(host, 1)).toList();
	}

	@ParameterizedTest
	@CsvSource({ "node-timeout, 0", "node-timeout, 2m", "restart-delay, -1s", "restart-delay, 10s" })
	void startWhenADurationCannotWorkNamesIt(String property, String value) {
		this.runner.withPropertyValues(THREE, "distributed-lock.redlock." + property + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageContaining("distributed-lock.redlock." + property));
	}

	/** They used to be ignored, so that an application believed that it had a quorum. */
	@ParameterizedTest
	@CsvSource({ "redis, nodes, 'redis://a,redis://u:secret@b'", "memory, nodes, redis://a",
			"redis, nodes[0], redis://a" })
	void startWhenTheStoreIsAnotherRefusesNodes(String store, String property, String value) {
		String name = "distributed-lock.redlock." + property;
		this.runner.withConfiguration(AutoConfigurations.of(BootTypes.REDIS))
			.withPropertyValues("distributed-lock.store=" + store, name + "=" + value)
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageStartingWith(
						name.replace("[0]", "") + "=**** has no effect, since distributed-lock.store is " + store
								+ ". Set distributed-lock.store=redlock, or remove the nodes."));
	}

	@Test
	void startWhenThereIsNoStoreOrOneOfItsOwnRefusesNodesAsWell() {
		String message = "has no effect, since distributed-lock.store is redis";
		ApplicationContextRunner redis = this.runner.withPropertyValues("distributed-lock.store=redis", THREE);
		redis.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining(message));
		redis.withBean("distributedLockStore", LockStore.class, MemoryLockStore::new)
			.run((context) -> assertThat(context).getFailure().rootCause().hasMessageContaining(message));
	}

	/** A profile for tests may override the nodes in this way. */
	@Test
	void startWhenInheritedNodesAreSetToNothingSucceeds() {
		this.runner
			.withSystemProperties("distributed-lock.redlock.nodes[0]=redis://a",
					"distributed-lock.redlock.restart-delay=1m", "distributed-lock.redlock.node-timeout=20ms")
			.withPropertyValues("distributed-lock.store=memory", "distributed-lock.redlock.nodes=")
			.run((context) -> assertThat(context).hasSingleBean(MemoryLockStore.class));
	}

	@Test
	void propertiesWhenShownHaveNoPassword() {
		this.runner.withPropertyValues(THREE)
			.run((context) -> assertThat(context.getBean(DistributedLockProperties.class).toString())
				.contains("3 nodes")
				.doesNotContain("secret"));
	}

	@Test
	void startWhenReplicasAreToConfirmIsRefused() {
		this.runner.withPropertyValues(THREE, "distributed-lock.redis.replica-acks=1")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(InvalidLockPropertyException.class)
				.hasMessageContaining("distributed-lock.redis.replica-acks")
				.hasMessageContaining("redlock"));
	}

	@Test
	void restartDelayWhenNotConfiguredIsTheLongestTtl() {
		assertRestartDelay(Duration.ofSeconds(30), "distributed-lock.ttl=10s");
		assertRestartDelay(Duration.ofMinutes(1), "distributed-lock.ttl=1m");
		assertRestartDelay(Duration.ofMinutes(5), "distributed-lock.locks.report.ttl=5m", "distributed-lock.ttl=1m");
	}

	@Test
	void restartDelayWhenConfiguredIsThat() {
		assertRestartDelay(Duration.ZERO, "distributed-lock.redlock.restart-delay=0");
		assertRestartDelay(Duration.ofMinutes(2), "distributed-lock.redlock.restart-delay=2m");
	}

	private void assertRestartDelay(Duration expected, String... properties) {
		this.runner.withPropertyValues(THREE)
			.withPropertyValues(properties)
			.run((context) -> assertThat(
					RedlockLockStoreConfiguration.restartDelay(context.getBean(DistributedLockProperties.class)))
				.isEqualTo(expected));
	}

}

package io.distributedlock.redis;

import java.util.regex.Pattern;

import io.distributedlock.redis.internal.driver.RedisErrors;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Why a server that answers will not keep locks, whatever its user may do.
 */
enum Unsuitability {

	REPLICA("\\b(READONLY|MASTERDOWN)\\b", "is a replica, which grants no locks",
			"Name a server of its own, that is no replica of another",
			"set spring.data.redis.host to the primary, or use spring.data.redis.sentinel.*"),

	CLUSTER("^(MOVED|ASK|CLUSTERDOWN)\\b|SELECT is not allowed in cluster mode",
			"is a node of a Redis Cluster, not an independent server",
			"Name a server that is in no cluster, or use the cluster by distributed-lock.store=redis and "
					+ "spring.data.redis.cluster.nodes",
			"set spring.data.redis.cluster.nodes instead of spring.data.redis.host"),

	DATABASE("^ERR (DB index is out of range|invalid DB index)", "has no database of this number",
			"Name a database that the server has, or none", "set spring.data.redis.database to one that it has"),

	NO_SENTINEL("^ERR unknown command ['`]SENTINEL", "cannot be found, since what answers there is no Sentinel", "",
			"set spring.data.redis.host and port instead of spring.data.redis.sentinel.*, or name the Sentinels"),

	NO_MASTER("Cannot provide redisAddress using sentinel|seems to be not monitored",
			"cannot be found, since the Sentinel that was asked watches no master of this name", "",
			"set spring.data.redis.sentinel.master to the name in the configuration of the Sentinels"),

	NO_CLUSTER("^ERR This instance has cluster support disabled", "is no Redis Cluster", "",
			"set spring.data.redis.host and port instead of spring.data.redis.cluster.nodes"),

	/** As probe.lua says it. */
	NUMBERS("^LOCKNUMBERS\\b.*", "cuts the numbers in which locks are kept (a build for 32 bits?)",
			"Name a server that is built for 64 bits", "use a Redis server that is built for 64 bits"),

	/** As the self-check says it. */
	SCATTERED("^LOCKSCATTERED\\b.*",
			"is a proxy that spreads keys over servers that do not know of each other, where a lock of several keys is in several places",
			"Name a Redis server itself", "connect to one Redis server or to a Redis Cluster, without the proxy"),

	COMMANDS("^ERR unknown command", "is no Redis data server (a Sentinel?), or the command was renamed",
			"Name a Redis data server that knows the commands", "name a Redis data server that knows the commands"),

	/** As the JDK and Netty say it; the alerts are those of the server. */
	TLS("^PKIX path |^No subject alternative |^No name matching |^Not(After|Before): |\\btrustAnchors\\b|^No appropriate protocol\\b"
			+ "|\\bnot accepted by client preferences\\b|\\bssl/tls hostname verification\\b|(?i)alert(: |_)(bad_certificate"
			+ "|unsupported_certificate|certificate_revoked|certificate_expired|certificate_unknown|certificate_required"
			+ "|unknown_ca|access_denied|handshake_failure|protocol_version|insufficient_security|unrecognized_name)\\b",
			"does not agree with this client on TLS",
			"Let the JVM trust the authority of its certificate, and name the host that is in that",
			"check the certificates of spring.data.redis.ssl.bundle (the authority of the server, and the client's own where "
					+ "the server asks for one), the host name and the time in the certificate of the server, and the protocols"),

	/** As Netty, the JDK and the self-check say it. */
	NO_TLS("^LOCKNOTLS\\b.*|^not an SSL/TLS record|\\b[Uu]nrecognized SSL message\\b", "has no TLS at this port",
			"Name the port for TLS, or use redis:// instead of rediss://",
			"set spring.data.redis.port to the port for TLS, or spring.data.redis.ssl.enabled=false; spring.data.redis.url "
					+ "has both where it is set (redis:// is without TLS)"),

	/** As the self-check says it, and as Lettuce and Jedis take an alert. */
	ONLY_TLS("^LOCKTLS\\b.*|^Invalid first byte: 21\\b|^Unknown reply: \u0015",
			"has TLS at this port, and this client uses none",
			"Use rediss:// instead of redis://, or name the port without TLS",
			"set spring.data.redis.ssl.enabled=true, or spring.data.redis.port to the port without TLS; spring.data.redis.url "
					+ "has both where it is set (rediss:// is with TLS)"),

	/** As Lettuce and Jedis say it. */
	NO_REDIS("^(Invalid first byte|Unknown reply): ", "does not speak the protocol of Redis (a port for HTTP?)",
			"Name host and port of a Redis data server", "set spring.data.redis.* to host and port of Redis");

	private final Pattern said;

	/** The rest of a sentence that begins with the server. */
	final String problem;

	/** What to do about a node of a quorum. */
	final String ofNode;

	/** What to do about the application's own Redis. */
	final String ofApplication;

	Unsuitability(String said, String problem, String ofNode, String ofApplication) {
		this.said = Pattern.compile(said);
		this.problem = problem;
		this.ofNode = ofNode;
		this.ofApplication = ofApplication;
	}

	/** What can be seen from a failure, if anything. */
	static @Nullable Unsuitability of(Throwable failure) {
		for (Unsuitability unsuitability : values()) {
			if (unsuitability.said(failure) != null) {
				return unsuitability;
			}
		}
		return null;
	}

	/** The text of the server by which {@link #of} has recognized it. */
	static @Nullable String saidIn(Throwable failure) {
		Unsuitability found = of(failure);
		return (found != null) ? found.said(failure) : null;
	}

	/** What shows it in a failure, {@code null} if nothing does. */
	@Nullable String said(Throwable failure) {
		return RedisErrors.said(this.said, failure);
	}

	/** Whether neither a fail-over nor a cluster that heals will change it. */
	boolean isLasting() {
		return this != REPLICA && this != CLUSTER;
	}

	/**
	 * Whether it may be said for a while where Redis has answered before: by a Sentinel
	 * that has forgotten its masters, by what took the address of a server that is down,
	 * while certificates are replaced, and where an answer is garbled.
	 */
	boolean mayFollowAnAnswer() {
		return switch (this) {
			case NO_SENTINEL, NO_MASTER, NO_CLUSTER, TLS, NO_TLS, ONLY_TLS, NO_REDIS -> true;
			default -> false;
		};
	}

	/**
	 * Whether another Sentinel may know better. Lettuce asks only the first it reaches.
	 */
	boolean isOfOneSentinel() {
		return this == NO_SENTINEL || this == NO_MASTER;
	}

	/** What a message says after the text of the server. */
	String advice(boolean isNode) {
		return (this == COMMANDS) ? "This " + this.problem
				: isNode ? this.ofNode : StringUtils.capitalize(this.ofApplication);
	}

}

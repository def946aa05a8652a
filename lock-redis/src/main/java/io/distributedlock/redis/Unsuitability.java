package io.distributedlock.redis;

import java.util.regex.Pattern;

import io.distributedlock.redis.internal.driver.RedisErrors;
import org.jspecify.annotations.Nullable;

import org.springframework.util.StringUtils;

/**
 * Reason why an answering server cannot keep locks for any user.
 */
enum Unsuitability {

	REPLICA(RedisErrors.START + "(READONLY|MASTERDOWN)\\b", "is a replica, which grants no locks",
			"Name a server of its own, that is no replica of another",
			"set spring.data.redis.host to the primary, or use spring.data.redis.sentinel.*"),

	CLUSTER("^(MOVED|ASK|CLUSTERDOWN)\\b|SELECT is not allowed in cluster mode",
			"is a node of a Redis Cluster, not an independent server",
			"Name a server that is in no cluster, or use the cluster by distributed-lock.store=redis and "
					+ "spring.data.redis.cluster.nodes",
			"set spring.data.redis.cluster.nodes instead of spring.data.redis.host"),

	DATABASE("^ERR (DB index is out of range|invalid DB index)", "has no database of this number",
			"Name a database that the server has, or none", "set spring.data.redis.database to one that it has"),

	NO_SENTINEL("^ERR unknown command ['`]SENTINEL", "cannot be found, since the server at that address is no Sentinel",
			"", "set spring.data.redis.host and port instead of spring.data.redis.sentinel.*, or name the Sentinels"),

	NO_MASTER("Cannot provide redisAddress using sentinel|seems to be not monitored",
			"cannot be found, since the Sentinel that was asked watches no master of this name", "",
			"set spring.data.redis.sentinel.master to the name in the configuration of the Sentinels"),

	NO_CLUSTER("^ERR This instance has cluster support disabled", "is no Redis Cluster", "",
			"set spring.data.redis.host and port instead of spring.data.redis.cluster.nodes"),

	/** Error of {@code probe.lua}. */
	NUMBERS("^LOCKNUMBERS\\b.*", "cuts the numbers in which locks are kept (a build for 32 bits?)",
			"Name a server that is built for 64 bits", "use a Redis server that is built for 64 bits"),

	/** Error of the self-check. */
	SCATTERED("^LOCKSCATTERED\\b.*",
			"is a proxy that spreads keys over servers that do not know of each other, where a lock of several keys is in several places",
			"Name a Redis server itself", "connect to one Redis server or to a Redis Cluster, without the proxy"),

	/** Also a server behind one address that lets no client ask for its nodes. */
	CLUSTER_COMMAND("^ERR (unknown|unsupported) command ['`\"]?(?i:CLUSTER)\\b|^ERR Command is not available: 'CLUSTER",
			"is no Redis data server (a Sentinel?), or has no CLUSTER command", "",
			"set spring.data.redis.host and port of the Redis data server instead of spring.data.redis.cluster.nodes"),

	/** Texts of Garnet, of Alibaba Cloud and of Valkey without its module for Lua. */
	SCRIPTS_OFF(
			"\\bLua scripting support disabled\\b|\\bcommand eval(sha)? not support\\b|\\bCould not find scripting engine\\b",
			"runs no Lua scripts, which locks need: they are switched off",
			"Switch Lua on there (Garnet: --lua, Valkey: its module for Lua), or name a server that runs scripts",
			"switch Lua on there (Garnet: --lua, Valkey: its module for Lua), or use a server that runs scripts"),

	NO_SCRIPTS("^ERR (unknown|unsupported) command ['`\"]?(?i:EVAL)|^ERR Command is not available: 'EVAL",
			"is no Redis data server (a Sentinel?), or knows no EVALSHA and EVAL, which locks need",
			"Name a Redis data server where they are neither renamed nor forbidden",
			"name a Redis data server where they are neither renamed nor forbidden (a sharded OCI Cache forbids them)"),

	/** Texts of the proxy of Alibaba Cloud. */
	LITERAL_KEYS("\\bbad lua script for redis cluster\\b.*",
			"is a proxy that refuses scripts whose keys or commands are in variables, as those of locks are",
			"Set script_check_enable=0 for that instance (Alibaba Cloud), or name a server without the proxy",
			"set script_check_enable=0 for that instance (Alibaba Cloud), or use its direct connection by "
					+ "spring.data.redis.cluster.nodes"),

	/** Text of Dragonfly. */
	UNDECLARED_KEYS("\\btried accessing undeclared key\\b|\\battempted to access undeclared key\\b",
			"refuses a key of a script as undeclared",
			"Start it with --default_lua_flags=allow-undeclared-keys (Dragonfly), or name another server",
			"start it with --default_lua_flags=allow-undeclared-keys (Dragonfly), or use another server"),

	/** Texts of Redis, and of Lua 5.1 and 5.4. */
	LIBRARIES("\\b(global|variable) '(struct|unpack)'", "lacks a part of Lua that locks need (struct, unpack)",
			"Name a server with the Lua of Redis", "use a server with the Lua of Redis or Valkey"),

	/** Error of the self-check, and texts of Redis and Valkey. */
	SCRIPT_COMMANDS("^LOCKCOMMANDS\\b.*|\\bUnknown (Redis )?command called from\\b",
			"lacks commands in scripts that locks need", "Name a server that has them, or rename them no longer",
			"use a server that has them, or rename them no longer (rename-command)"),

	/** Error of {@link NodeIdentity}. */
	UPTIME("^LOCKUPTIME\\b.*", "does not say when it was started, so a restart that forgets locks is not noticed",
			"Name a server whose INFO has uptime_in_seconds, or set distributed-lock.redlock.restart-delay=0 if two holders "
					+ "after a restart do no harm",
			""),

	COMMANDS("^ERR (unknown|unsupported) command|^ERR Command is not available\\b",
			"is no Redis data server (a Sentinel?), or the command was renamed",
			"Name a Redis data server that knows the commands", "name a Redis data server that knows the commands"),

	/** Texts of the JDK and of Netty; the alerts are those of the server. */
	TLS("^PKIX path |^No subject alternative |^No name matching |^Not(After|Before): |\\btrustAnchors\\b|^No appropriate protocol\\b"
			+ "|\\bnot accepted by client preferences\\b|\\bssl/tls hostname verification\\b|(?i)alert(: |_)(bad_certificate"
			+ "|unsupported_certificate|certificate_revoked|certificate_expired|certificate_unknown|certificate_required"
			+ "|unknown_ca|access_denied|handshake_failure|protocol_version|insufficient_security|unrecognized_name)\\b",
			"does not agree with this client on TLS",
			"Check the certificates of the SSL bundle (distributed-lock.redlock.ssl.bundle; without one those of the JVM count): the "
					+ "authority of the server and, where it asks for one, the client's own; also the host name and the time in the "
					+ "certificate of the server, and the protocols",
			"check the certificates of spring.data.redis.ssl.bundle (the authority of the server, and the client's own where "
					+ "the server asks for one), the host name and the time in the certificate of the server, and the protocols"),

	/** Texts of Netty, the JDK and the self-check. */
	NO_TLS("^LOCKNOTLS\\b.*|^not an SSL/TLS record|\\b[Uu]nrecognized SSL message\\b", "has no TLS at this port",
			"Name the port for TLS, or use redis:// instead of rediss://",
			"set spring.data.redis.port to the port for TLS, or spring.data.redis.ssl.enabled=false; spring.data.redis.url "
					+ "has both where it is set (redis:// is without TLS)"),

	/** Texts of the self-check, and of Lettuce and Jedis when they read a TLS alert. */
	ONLY_TLS("^LOCKTLS\\b.*|^Invalid first byte: 21\\b|^Unknown reply: \u0015",
			"has TLS at this port, and this client uses none",
			"Use rediss:// instead of redis://, or name the port without TLS",
			"set spring.data.redis.ssl.enabled=true, or spring.data.redis.port to the port without TLS; spring.data.redis.url "
					+ "has both where it is set (rediss:// is with TLS)"),

	/** Texts of Lettuce and Jedis. */
	NO_REDIS("^(Invalid first byte|Unknown reply): ", "does not speak the protocol of Redis (a port for HTTP?)",
			"Name host and port of a Redis data server", "set spring.data.redis.* to host and port of Redis");

	private final Pattern said;

	/** The rest of a sentence that begins with the server. */
	final String problem;

	/** The remedy for a node of a quorum. */
	final String ofNode;

	/** The remedy for the application's own Redis. */
	final String ofApplication;

	Unsuitability(String said, String problem, String ofNode, String ofApplication) {
		this.said = Pattern.compile(said);
		this.problem = problem;
		this.ofNode = ofNode;
		this.ofApplication = ofApplication;
	}

	/** Return the reason that a failure shows, or {@code null}. */
	static @Nullable Unsuitability of(Throwable failure) {
		for (Unsuitability unsuitability : values()) {
			if (unsuitability.said(failure) != null) {
				return unsuitability;
			}
		}
		return null;
	}

	/** Return the text by which {@link #of} has recognized a failure. */
	static @Nullable String saidIn(Throwable failure) {
		Unsuitability found = of(failure);
		return (found != null) ? found.said(failure) : null;
	}

	/** Return the text that shows this reason in a failure, or {@code null}. */
	@Nullable String said(Throwable failure) {
		return RedisErrors.said(this.said, failure);
	}

	/** Return whether the reason outlasts a fail-over or the recovery of a cluster. */
	boolean isLasting() {
		return this != REPLICA && this != CLUSTER;
	}

	/**
	 * Return whether the reason may show for a while after Redis has answered. Examples:
	 * a Sentinel has forgotten its masters, another program has the address of a server
	 * that is down, certificates are being replaced, an answer is garbled.
	 */
	boolean mayFollowAnAnswer() {
		return switch (this) {
			case NO_SENTINEL, NO_MASTER, NO_CLUSTER, TLS, NO_TLS, ONLY_TLS, NO_REDIS -> true;
			default -> false;
		};
	}

	/**
	 * Return whether another Sentinel may know better. Lettuce asks only the first it
	 * reaches.
	 */
	boolean isOfOneSentinel() {
		return this == NO_SENTINEL || this == NO_MASTER;
	}

	/** Return the text that follows the server's text in a message. */
	String advice(boolean isNode) {
		return (this == COMMANDS) ? "This " + this.problem
				: isNode ? this.ofNode : StringUtils.capitalize(this.ofApplication);
	}

}

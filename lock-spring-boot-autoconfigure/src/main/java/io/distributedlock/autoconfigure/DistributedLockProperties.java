package io.distributedlock.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;

import io.distributedlock.LockMode;
import io.distributedlock.WhenBusy;
import io.distributedlock.WhenLost;
import io.distributedlock.WhenUnavailable;
import io.distributedlock.engine.LeakDetection;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * Configuration of the locks. A name under the prefix that is not known here stops the
 * start, because a misspelt ttl must not be taken for a default.
 *
 * @param enabled Whether locks are available. When false, no bean is created and
 * annotated methods run without a lock.
 * @param store Where the locks are kept: redis, redlock, postgresql, memory, or the name
 * of another store on the class path. The memory store locks within one process only and
 * is meant for tests.
 * @param advice How annotated methods get their lock: through the proxies of their beans,
 * or woven into them by AspectJ.
 * @param keyPrefix Beginning of every Redis key and channel of the library. At most 200
 * characters, without blanks, braces, brackets, invisible characters and * ? \ ^.
 * @param ttl How long a lock outlives a holder that died. Between 10ms and 365d, and at
 * least 200ms where renewal is on. Without a unit: milliseconds.
 * @param waitFor Total time budget for getting a lock, the local queue included. 0 tries
 * once. Not negative. Not for tryAcquire. Without a unit: milliseconds.
 * @param renew Whether a lease is renewed while its holder runs. When false, the ttl is a
 * hard limit.
 * @param maxHold Renewal stops this long after the acquisition, whatever the holder does.
 * Not limited by default. Between 1ms and 365d. Without a unit: milliseconds.
 * @param whenUnavailable What a guarded method does when the store cannot be reached:
 * throw, skip the method, or proceed without the lock.
 * @param order Order of the lock advice among the advices of a method. Has to be lower
 * than that of the transaction advice, so that a lock is released after the commit.
 * @param shutdown Shutdown of the application.
 * @param handOff Whether callers of one instance hand an exclusive lock on to each other
 * without asking the store: up to 64 times in a row, and for 20ms or a hundredth of its
 * ttl, whichever is shorter.
 * @param observation What Micrometer sees of locks, where it is there.
 * @param redis Settings of the Redis store.
 * @param redlock Settings of the store on independent Redis servers.
 * @param postgresql Settings of the store in PostgreSQL.
 * @param instanceName What this instance is called where messages and the endpoint name
 * the holder of a lock. By default the name of the application, the host and the process.
 * At most 200 characters, without control characters.
 * @param leakDetection How many acquisitions by hand are watched for a lease that is
 * never closed: disabled, sampled (the first 128 and then one in 128), or all.
 * @param locks Settings by lock name. They win over the annotation, the request and the
 * global settings.
 * @since 0.1.0
 */
@ConfigurationProperties(prefix = DistributedLockProperties.PREFIX, ignoreUnknownFields = false)
public record DistributedLockProperties(@DefaultValue("true") boolean enabled,
		@DefaultValue(DistributedLockProperties.DEFAULT_STORE) String store, @DefaultValue("proxy") Advice advice,
		@DefaultValue("lock:") String keyPrefix, @DefaultValue("30s") Duration ttl,
		@Name("wait") @DefaultValue("5s") Duration waitFor, @DefaultValue("true") boolean renew,
		@Nullable Duration maxHold, @DefaultValue("throw") WhenUnavailable whenUnavailable,
		@DefaultValue("2147483646") int order, @DefaultValue Shutdown shutdown, @DefaultValue("true") boolean handOff,
		@DefaultValue Observation observation, @DefaultValue Redis redis, @DefaultValue Redlock redlock,
		@DefaultValue Postgresql postgresql, @Nullable String instanceName,
		@DefaultValue("sampled") LeakDetection leakDetection, @DefaultValue Map<String, Profile> locks) {

	static final String PREFIX = "distributed-lock";

	static final String DEFAULT_STORE = "redis";

	/** Way in which annotated methods get their lock. */
	public enum Advice {

		/** Through the proxy of a bean; calls from within the bean are not guarded. */
		PROXY,

		/** Woven into the code of the methods, at compile time or at load time. */
		ASPECTJ

	}

	/** Way in which waiting instances learn that a lock became free. */
	public enum WakeUp {

		/** A subscription shortens the wait; polling remains as the fallback. */
		SUBSCRIBE,

		/** Polling only: one connection less, and a slower hand-off. */
		POLL

	}

	/** Connections to Redis that the locks use. */
	public enum Connection {

		/** Connections of their own, by the configuration of the application. */
		OWN,

		/** Connections of the application: fewer in number, with its delays. */
		SHARED

	}

	/** Databases in which the store makes its table. */
	public enum InitializeSchema {

		/** Embedded ones. A PostgreSQL is none, so its table has to exist. */
		EMBEDDED,

		/** All: the start makes a table that is missing. */
		ALWAYS,

		/** None: the table has to exist. */
		NEVER

	}

	/** Library that sends the commands of the locks to Redis. */
	public enum Driver {

		/** That of the application's connection factory. */
		APPLICATION,

		/** Jedis: callers that wait run their commands themselves. */
		JEDIS

	}

	/**
	 * Shutdown of the application.
	 *
	 * @param gracePeriod How long the shutdown waits for holders that still run. Leases
	 * that are held after that are lost; their holders are notified. 0 does not wait. Up
	 * to 365d. Without a unit: milliseconds.
	 */
	public record Shutdown(@DefaultValue("10s") Duration gracePeriod) {
	}

	/**
	 * What Micrometer sees of locks.
	 *
	 * @param enabled Whether waits and holds are observed and meters are bound, where
	 * there is a registry for them.
	 * @param includeKey Whether spans have the keys of locks. Meters never have.
	 */
	public record Observation(@DefaultValue("true") boolean enabled, @DefaultValue("false") boolean includeKey) {
	}

	/**
	 * Settings of the Redis store.
	 *
	 * @param commandTimeout How long a command may go unanswered before it counts as
	 * failed; the very first one also opens the connection. A renewal waits a sixth of
	 * the ttl where that is shorter. Between 1ms and 365d. Without a unit: milliseconds.
	 * @param tokenRetention How long a released lock remembers its last fencing token and
	 * the requests that have ended. Between 1s and 365d. Without a unit: milliseconds.
	 * @param wakeUp How waiting instances learn that a lock became free: subscribe, or
	 * poll only.
	 * @param replicaAcks How many replicas have to confirm an acquisition before the lock
	 * is handed out. 0 waits for none. Up to 1000. Needs Lettuce.
	 * @param replicaAcksTimeout How long replicas may take to confirm. Counts as part of
	 * the lease and of the wait. Between 1ms and 365d, and where replicas are to confirm
	 * shorter than the command timeout. Without a unit: milliseconds.
	 * @param connection Whose connections the locks use: their own, made from what is
	 * configured for the application, or those that they share with the application.
	 * @param driver Which library sends the commands of the locks: that of the
	 * application's connection factory, or Jedis, also where the application uses
	 * Lettuce. Jedis needs connections of its own. Only with store redis.
	 */
	public record Redis(@DefaultValue("1s") Duration commandTimeout, @DefaultValue("60s") Duration tokenRetention,
			@DefaultValue("subscribe") WakeUp wakeUp, @DefaultValue("0") int replicaAcks,
			@DefaultValue("400ms") Duration replicaAcksTimeout, @DefaultValue("own") Connection connection,
			@DefaultValue("application") Driver driver) {
	}

	/**
	 * Settings of the store on independent Redis servers. The settings of the Redis store
	 * count for each of them, but for replica acknowledgements.
	 *
	 * @param nodes Where the servers are: redis://user:password@host:port/database, or
	 * rediss for TLS; what stands before the at sign without a colon is the password of
	 * the default user. 3, 5 or another odd number up to 63, the same ones on all
	 * instances. They are not the application's own Redis connection. Only with store
	 * redlock: with another one they stop the start.
	 * @param nodeTimeout How long a node may keep an attempt waiting that enough other
	 * nodes have answered. A twentieth of the ttl and at most 50ms by default. Between
	 * 1ms and 1m. Without a unit: milliseconds.
	 * @param restartDelay How long a node does not count after a restart, because it may
	 * have forgotten locks. The longest ttl that is configured and at least 30s by
	 * default. 0 lets it count at once, so that two holders are possible. Otherwise not
	 * shorter than the longest ttl that is configured. Up to 365d. Without a unit:
	 * milliseconds.
	 * @param ssl TLS of the connections to the servers.
	 */
	public record Redlock(@DefaultValue List<String> nodes, @Nullable Duration nodeTimeout,
			@Nullable Duration restartDelay, @DefaultValue Ssl ssl) {

		/**
		 * The settings as messages have them.
		 * @return the settings without nodes, which may have passwords
		 */
		@Override
		public String toString() {
			return "Redlock[%d nodes, nodeTimeout=%s, restartDelay=%s, ssl=%s]".formatted(this.nodes.size(),
					this.nodeTimeout, this.restartDelay, this.ssl);
		}

	}

	/**
	 * Settings of the store in PostgreSQL.
	 *
	 * @param url JDBC address of the database with the table of the locks. By default
	 * that of the application's data source, which may also come from a container.
	 * @param username User of the database. By default that of the application's data
	 * source, if the url is of it as well.
	 * @param password Password of the user.
	 * @param listenUrl JDBC address of the server itself, for the one connection that
	 * listens for wake-ups. Behind a pooler that gives each transaction another
	 * connection, messages do not arrive otherwise. That of the other connections by
	 * default.
	 * @param wakeUp How waiting instances learn that a lock became free: subscribe, or
	 * poll only.
	 * @param table Name of the table of the locks, with its schema and a dot before it
	 * where that is not on the search path.
	 * @param initializeSchema Which databases get the table when it is missing: embedded
	 * ones, of which PostgreSQL is none, always or never.
	 * @param poolSize How many connections the locks may have, besides the one that
	 * listens. They are not those of the application's pool. From 2 to 4.
	 * @param durable Whether an acquisition survives a crash of the server at any time.
	 * When false, it may be lost within the first second, unless a transaction that was
	 * checked has committed after it.
	 * @param commandTimeout How long a command may go unanswered before it counts as
	 * failed. A renewal waits a sixth of the ttl where that is shorter. Between 1ms and
	 * 1m. Without a unit: milliseconds.
	 * @param tokenRetention How long a released lock remembers its last fencing token and
	 * the requests that have ended. Between 1s and 365d. Without a unit: milliseconds.
	 * @param idleBeforeCommit How long a transaction may stand still between the check of
	 * its locks and its end, before the server rolls it back. A shorter
	 * idle_in_transaction_session_timeout of the transaction stays. Between 100ms and 1m.
	 * Without a unit: milliseconds.
	 */
	public record Postgresql(@Nullable String url, @Nullable String username, @Nullable String password,
			@Nullable String listenUrl, @DefaultValue("subscribe") WakeUp wakeUp,
			@DefaultValue("distributed_lock") String table, @DefaultValue("embedded") InitializeSchema initializeSchema,
			@DefaultValue("4") int poolSize, @DefaultValue("false") boolean durable,
			@DefaultValue("1s") Duration commandTimeout, @DefaultValue("60s") Duration tokenRetention,
			@DefaultValue("2s") Duration idleBeforeCommit) {

		/**
		 * The settings as messages have them.
		 * @return the settings without addresses and login, which may have passwords
		 */
		@Override
		public String toString() {
			return "Postgresql[table=%s, initializeSchema=%s, poolSize=%d, durable=%s]".formatted(this.table,
					this.initializeSchema, this.poolSize, this.durable);
		}

	}

	/**
	 * TLS of the connections to independent Redis servers.
	 *
	 * @param bundle Name of the SSL bundle with the certificates, protocols and ciphers.
	 * All servers then need rediss. What the JVM trusts by default.
	 */
	public record Ssl(@Nullable String bundle) {
	}

	/**
	 * Settings of the locks of one name. What is not set defers to the annotation or the
	 * request, and then to the global settings.
	 *
	 * @param ttl How long the lock outlives a holder that died. Between 10ms and 365d,
	 * and at least 200ms where renewal is on. Without a unit: milliseconds.
	 * @param waitFor Total time budget for getting the lock. 0 tries once. Not negative.
	 * Without a unit: milliseconds.
	 * @param renew Whether the lease is renewed while its holder runs.
	 * @param maxHold Renewal stops this long after the acquisition. Between 1ms and 365d.
	 * Without a unit: milliseconds.
	 * @param keepFor The lock stays taken at least this long after it was acquired. Up to
	 * 365d. Without a unit: milliseconds. For modes with one holder.
	 * @param lockDelay The lock stays closed this long after the lease of a holder has
	 * run out without a release. Up to 1d. Without a unit: milliseconds. For modes with
	 * one holder; readers have none.
	 * @param mode What kind of lock it is: exclusive, fair, read or semaphore. All that
	 * take the same lock have to agree on whether it is a semaphore.
	 * @param permits How many may hold the lock at once with mode semaphore, from 1 to
	 * 10000. All that take the same lock have to name the same number.
	 * @param take How many permits a call takes with mode semaphore, all or none, from 1
	 * to 1000 and not more than the permits. 1 by default.
	 * @param whenBusy What a guarded method does when the lock stayed taken: throw, skip
	 * or fallback.
	 * @param whenLost What happens when the lease is lost: throw, interrupt or ignore.
	 * @param whenUnavailable What a guarded method does when the store cannot be reached:
	 * throw, skip or proceed.
	 */
	public record Profile(@Nullable Duration ttl, @Name("wait") @Nullable Duration waitFor, @Nullable Boolean renew,
			@Nullable Duration maxHold, @Nullable Duration keepFor, @Nullable Duration lockDelay,
			@Nullable LockMode mode, @Nullable Integer permits, @Nullable Integer take, @Nullable WhenBusy whenBusy,
			@Nullable WhenLost whenLost, @Nullable WhenUnavailable whenUnavailable) {
	}

}

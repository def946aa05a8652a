package io.distributedlock.kotlin

import com.zaxxer.hikari.HikariConfig
import com.zaxxer.hikari.HikariDataSource
import io.distributedlock.LockStoreException
import io.distributedlock.embedded.PostgresServer
import io.distributedlock.embedded.RedisServers
import io.distributedlock.jdbc.PostgresLockStore
import io.distributedlock.jdbc.PostgresSchema
import io.distributedlock.memory.MemoryLockStore
import io.distributedlock.memory.MemoryLocks
import io.distributedlock.redis.RedisLockStore
import io.distributedlock.redis.RedisStoreSettings
import io.distributedlock.store.AbandonCommand
import io.distributedlock.store.AcquireCommand
import io.distributedlock.store.AcquireOutcome
import io.distributedlock.store.LockKey
import io.distributedlock.store.LockStore
import io.distributedlock.store.Ownership
import io.distributedlock.store.ReleaseCommand
import io.distributedlock.store.RenewCommand
import io.distributedlock.store.StoreCapability
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory
import java.time.Duration
import java.util.concurrent.CompletableFuture

/** The actions of the scenarios on a store, from outside. */
internal interface ScenarioStore : AutoCloseable {

	/** Another one on the same locks. */
	fun create(): LockStore

	/** Take a lock away from its holder, who is not told. */
	fun steal(key: String)

	/** Make the store unreachable. */
	fun goDown()

	fun comeBack()

}

internal class MemoryScenarioStore : ScenarioStore {

	private val locks = MemoryLocks()

	@Volatile
	private var down = false

	override fun create(): LockStore = Reachable(MemoryLockStore(locks))

	override fun steal(key: String) {
		check(locks.remove("", key)) { "not locked: $key" }
	}

	override fun goDown() {
		down = true
	}

	override fun comeBack() {
		down = false
	}

	override fun close() = Unit

	/** Every command fails while the store is down. */
	private inner class Reachable(private val delegate: LockStore) : LockStore by delegate {

		// Kotlin delegates no default methods of Java.
		override fun capabilities(): Set<StoreCapability> = delegate.capabilities()

		override fun takesTogether(keys: List<LockKey>): Boolean = delegate.takesTogether(keys)

		override fun acquire(command: AcquireCommand): CompletableFuture<AcquireOutcome> =
			reach { delegate.acquire(command) }

		override fun renew(commands: List<RenewCommand>): List<CompletableFuture<Ownership>> =
			commands.map { command -> reach { delegate.renew(listOf(command)).single() } }

		override fun release(command: ReleaseCommand): CompletableFuture<Ownership> =
			reach { delegate.release(command) }

		override fun abandon(command: AbandonCommand): CompletableFuture<Void> =
			reach { delegate.abandon(command) }

		private fun <T> reach(command: () -> CompletableFuture<T>): CompletableFuture<T> = if (down) {
			CompletableFuture.failedFuture(LockStoreException(LockStoreException.Kind.UNAVAILABLE, "down", null))
		} else {
			command()
		}

	}

}

/**
 * A server that answers nothing while it is down.
 * @param commandTimeout how long to wait for an answer; a single attempt fails if it comes later
 */
internal class RedisScenarioStore(private val commandTimeout: Duration = Duration.ofSeconds(20)) : ScenarioStore {

	private val server = RedisServers.start()

	private val factory = LettuceConnectionFactory(server.host(), server.port()).apply {
		afterPropertiesSet()
		start()
	}

	override fun create(): LockStore =
		RedisLockStore(factory, RedisStoreSettings(PREFIX, Duration.ofMinutes(1), commandTimeout, true))

	override fun steal(key: String) {
		factory.connection.use { connection ->
			val stored = (PREFIX + LockKey("", key).encoded()).toByteArray()
			check(connection.keyCommands().del(stored) == 1L) { "not locked: $key" }
		}
	}

	override fun goDown() = server.pause()

	override fun comeBack() = server.resume()

	override fun close() {
		factory.destroy()
		server.close()
	}

	private companion object {

		const val PREFIX = "table:"

	}

}

/**
 * A server that refuses connections while it is down.
 * @param commandTimeout how long to wait for an answer, or for a connection
 */
internal class PostgresScenarioStore(private val commandTimeout: Duration = Duration.ofSeconds(20)) : ScenarioStore {

	private val server = PostgresServer.start()

	init {
		PostgresSchema.of(PostgresSchema.DEFAULT_TABLE).create(server.dataSource())
	}

	override fun create(): LockStore {
		val pool = HikariDataSource(
			HikariConfig().apply {
				dataSource = server.dataSource()
				maximumPoolSize = CONNECTIONS
				connectionTimeout = commandTimeout.toMillis()
			},
		)
		return PostgresLockStore.builder(pool)
			.connections(CONNECTIONS)
			.listenDataSource(server.dataSource())
			.commandTimeout(commandTimeout)
			.closing(pool)
			.build()
	}

	override fun steal(key: String) {
		server.dataSource().connection.use { connection ->
			connection.prepareStatement("DELETE FROM distributed_lock WHERE name = ?").use { statement ->
				statement.setString(1, LockKey("", key).encoded())
				check(statement.executeUpdate() == 1) { "not locked: $key" }
			}
		}
	}

	override fun goDown() = server.stop()

	override fun comeBack() = server.restart()

	override fun close() = server.close()

	private companion object {

		const val CONNECTIONS = 4

	}

}

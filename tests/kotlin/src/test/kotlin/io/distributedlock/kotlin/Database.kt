package io.distributedlock.kotlin

import io.r2dbc.spi.ConnectionFactories
import org.springframework.jdbc.datasource.DriverManagerDataSource
import org.springframework.jdbc.support.JdbcTransactionManager
import org.springframework.r2dbc.connection.R2dbcTransactionManager
import org.springframework.transaction.reactive.TransactionalOperator
import org.springframework.transaction.support.TransactionTemplate
import java.util.UUID

/** Transactions of a real database, bound to a thread or to a subscription. */
internal class Database {

	private val name = UUID.randomUUID()

	val transaction = TransactionTemplate(JdbcTransactionManager(DriverManagerDataSource("jdbc:h2:mem:$name")))

	val operator = TransactionalOperator.create(
		R2dbcTransactionManager(ConnectionFactories.get("r2dbc:h2:mem:///$name")),
	)

}

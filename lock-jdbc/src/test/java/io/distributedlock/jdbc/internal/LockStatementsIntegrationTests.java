package io.distributedlock.jdbc.internal;

import java.sql.Connection;
import java.sql.SQLException;

import io.distributedlock.jdbc.SharedPostgres;
import org.junit.jupiter.api.Test;

import static org.awaitility.Awaitility.await;

/** The time of statements in an open transaction. */
class LockStatementsIntegrationTests {

	private final LockStatements statements = new LockStatements("distributed_lock", false, () -> {
	});

	/** The time of the transaction gave a lock that was held to a second holder. */
	@Test
	void timeWhenTheTransactionIsOldIsThatOfNow() throws SQLException {
		try (Connection connection = SharedPostgres.pool().getConnection()) {
			connection.setAutoCommit(false);
			long before = this.statements.read(connection, "none").micros();
			await().until(() -> this.statements.read(connection, "none").micros() > before + 10_000);
			connection.rollback();
		}
	}

}

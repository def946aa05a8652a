package io.distributedlock.jdbc.internal;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/** The failures of logins that a pool learns of, and those that it does not. */
class PatientLoginTests {

	private static final SQLException REFUSED = new SQLException("refused", "08001");

	private static final SQLException STARTING = new SQLException("starting", "57P03");

	private static final SQLException UNKNOWN_USER = new SQLException("who", "28000");

	private final Connection connection = (Connection) Proxy.newProxyInstance(getClass().getClassLoader(),
			new Class<?>[] { Connection.class }, (proxy, method, arguments) -> null);

	private final PatientLogin login = new PatientLogin();

	private final Deque<SQLException> failures = new ArrayDeque<>();

	private Connection connect() throws SQLException {
		return this.login.connect(() -> {
			if (this.failures.isEmpty()) {
				return this.connection;
			}
			throw this.failures.remove();
		});
	}

	private void assertFailsWith(SQLException failure) {
		assertThatExceptionOfType(SQLException.class).isThrownBy(this::connect).isSameAs(failure);
	}

	@Test
	void firstFailureOfEachOutageIsPassedOn() throws SQLException {
		for (int i = 0; i < 2; i++) {
			this.failures.add(REFUSED);
			assertFailsWith(REFUSED);
			assertThat(connect()).isSameAs(this.connection);
		}
	}

	@Test
	void laterFailuresAreWaitedFor() throws SQLException {
		this.failures.addAll(List.of(REFUSED, REFUSED, STARTING));
		assertFailsWith(REFUSED);
		assertThat(connect()).isSameAs(this.connection);
		assertThat(this.failures).isEmpty();
	}

	@Test
	void failuresThatDoNotPassAreNotWaitedFor() {
		this.failures.addAll(List.of(UNKNOWN_USER, UNKNOWN_USER));
		assertFailsWith(UNKNOWN_USER);
		assertFailsWith(UNKNOWN_USER);
	}

	@Test
	void closedLoginDoesNotWait() {
		this.login.close();
		this.failures.addAll(List.of(REFUSED, STARTING));
		assertFailsWith(REFUSED);
		assertFailsWith(STARTING);
	}

	@Test
	void interruptEndsTheWait() {
		this.failures.addAll(List.of(REFUSED, STARTING));
		assertFailsWith(REFUSED);
		Thread.currentThread().interrupt();
		assertFailsWith(STARTING);
		assertThat(Thread.interrupted()).isTrue();
	}

}

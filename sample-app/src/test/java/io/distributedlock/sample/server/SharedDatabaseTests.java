package io.distributedlock.sample.server;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.Socket;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class SharedDatabaseTests {

	private SharedDatabase database;

	@BeforeEach
	void start() throws SQLException {
		this.database = SharedDatabase.start();
	}

	@AfterEach
	void stop() {
		this.database.close();
	}

	@Test
	void remoteUrlWhenOpenedShowsSameData() throws SQLException {
		try (Connection local = connect(this.database.getJdbcUrl(), this.database.getPassword());
				Connection remote = connect(this.database.remoteUrl(), this.database.getPassword())) {
			local.createStatement().execute("create table shared (id integer)");
			assertThat(remote.createStatement().executeUpdate("insert into shared values (1)")).isOne();
			assertThat(local.createStatement().executeQuery("select id from shared").next()).isTrue();
		}
	}

	@Test
	void remoteUrlWhenPasswordIsWrongIsRefused() throws SQLException {
		try (Connection local = connect(this.database.getJdbcUrl(), this.database.getPassword())) {
			assertThat(local.isValid(1)).isTrue();
			assertThatExceptionOfType(SQLException.class).isThrownBy(() -> connect(this.database.remoteUrl(), "guess"));
		}
	}

	@Test
	void portWhenAskedThroughOtherInterfacesIsClosed() throws Exception {
		int port = Integer.parseInt(this.database.remoteUrl().replaceAll(".*:(\\d+)/.*", "$1"));
		try (Socket loopback = new Socket("127.0.0.1", port)) {
			assertThat(loopback.isConnected()).isTrue();
		}
		NetworkInterface.networkInterfaces()
			.flatMap(NetworkInterface::inetAddresses)
			.filter((address) -> !address.isLoopbackAddress())
			.forEach((address) -> assertClosed(address, port));
	}

	private static void assertClosed(InetAddress address, int port) {
		assertThatException().as("%s", address).isThrownBy(() -> new Socket(address, port).close());
	}

	private Connection connect(String url, String password) throws SQLException {
		return DriverManager.getConnection(url, this.database.getUsername(), password);
	}

}

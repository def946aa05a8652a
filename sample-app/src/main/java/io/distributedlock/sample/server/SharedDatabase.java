package io.distributedlock.sample.server;

import java.sql.SQLException;
import java.util.UUID;

import org.h2.tools.Server;

import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * An H2 database in the memory of this process, which other processes of this machine
 * reach over the loopback interface. Each start has a new random password.
 */
final class SharedDatabase implements JdbcConnectionDetails, AutoCloseable {

	private final String password = UUID.randomUUID().toString();

	private final Server server;

	private SharedDatabase(Server server) {
		this.server = server;
	}

	static SharedDatabase start() throws SQLException {
		// By default H2 refuses foreign clients, but listens on all interfaces.
		System.setProperty("h2.bindAddress", "127.0.0.1");
		return new SharedDatabase(Server.createTcpServer("-tcpPort", "0").start());
	}

	@Override
	public String getUsername() {
		return "flash-sale";
	}

	@Override
	public String getPassword() {
		return this.password;
	}

	@Override
	public String getJdbcUrl() {
		return "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;DEFAULT_LOCK_TIMEOUT=20000".formatted(name());
	}

	@Override
	public String getDriverClassName() {
		return "org.h2.Driver";
	}

	String remoteUrl() {
		return "jdbc:h2:tcp://127.0.0.1:%d/mem:%s".formatted(this.server.getPort(), name());
	}

	/**
	 * Return a name that is unique in this process, which shares its databases in memory
	 * by name.
	 */
	private String name() {
		return "flash-sale-" + this.server.getPort();
	}

	@Override
	public void close() {
		this.server.stop();
	}

}

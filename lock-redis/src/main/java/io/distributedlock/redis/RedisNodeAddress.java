package io.distributedlock.redis;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.distributedlock.redis.internal.driver.NodeServer;
import org.jspecify.annotations.Nullable;

import org.springframework.data.redis.connection.RedisStandaloneConfiguration;

/**
 * Address of one independent Redis server, with its login and its TLS.
 *
 * @param host the host
 * @param port the port
 * @param database the number of the database
 * @param username the user, or {@code null} for the default one
 * @param password the password, or {@code null} for none
 * @param tls how the connection is encrypted, or {@code null} if it is not
 * @since 0.1.0
 */
public record RedisNodeAddress(String host, int port, int database, @Nullable String username,
		@Nullable String password, @Nullable RedisNodeTls tls) {

	private static final int DEFAULT_PORT = 6379;

	private static final int HIGHEST_PORT = 65_535;

	/** A well-formed host, followed by a colon and any text as port. */
	private static final Pattern SERVER = Pattern.compile("(\\[[^]]*]|[a-zA-Z0-9.-]+):[^:]*");

	/**
	 * Create an address.
	 * @param host the host, not blank
	 * @param port the port, 1 to 65535
	 * @param database the number of the database
	 * @param username the user, or {@code null} for the default one
	 * @param password the password, or {@code null} for none
	 * @param tls how the connection is encrypted, or {@code null} if it is not
	 * @throws IllegalArgumentException if there is no such host or port
	 */
	public RedisNodeAddress {
		if (host.isBlank()) {
			throw new IllegalArgumentException("The host of a node must not be blank");
		}
		if (port < 1 || port > HIGHEST_PORT) {
			throw new IllegalArgumentException(
					"The port of node '%s' must be between 1 and %d but is %d".formatted(host, HIGHEST_PORT, port));
		}
	}

	/**
	 * Read an address.
	 * @param text {@code redis://user:password@host:port/database}, or {@code rediss} for
	 * {@linkplain RedisNodeTls#DEFAULT TLS}; only the scheme and the host are required,
	 * and a text without a colon before the {@code @} is the password of the default user
	 * @return the address
	 * @throws IllegalArgumentException if the text is no address; the message gives the
	 * reason and repeats no password
	 */
	public static RedisNodeAddress parse(String text) {
		URI uri;
		try {
			uri = new URI(text.strip());
		}
		catch (URISyntaxException ex) {
			throw new IllegalArgumentException("is not a URI: " + ex.getReason());
		}
		boolean tls = "rediss".equals(uri.getScheme());
		if (!tls && !"redis".equals(uri.getScheme())) {
			throw new IllegalArgumentException("begins neither with redis:// nor with rediss://");
		}
		String host = uri.getHost();
		if (host == null) {
			throw new IllegalArgumentException(withoutHost(uri.getRawAuthority()));
		}
		if (uri.getRawQuery() != null || uri.getRawFragment() != null) {
			throw new IllegalArgumentException("has more than a database after the host");
		}
		String user = uri.getUserInfo();
		int colon = (user != null) ? user.indexOf(':') : -1;
		return new RedisNodeAddress(host, port(uri.getPort()), database(uri.getPath()),
				(user != null && colon > 0) ? user.substring(0, colon) : null,
				(user != null) ? user.substring(colon + 1) : null, tls ? RedisNodeTls.DEFAULT : null);
	}

	private static int port(int port) {
		if (port == 0 || port > HIGHEST_PORT) {
			throw new IllegalArgumentException("has the port %d; use 1 to %d".formatted(port, HIGHEST_PORT));
		}
		return (port != -1) ? port : DEFAULT_PORT;
	}

	/**
	 * Return the reason, which repeats nothing of the text: it may be a login without a
	 * host.
	 */
	private static String withoutHost(@Nullable String authority) {
		if (authority == null || authority.isEmpty()) {
			return "has no valid host: there is none";
		}
		Matcher server = SERVER.matcher(authority.substring(authority.lastIndexOf('@') + 1));
		if (server.matches()) {
			return "has a port that is no number from 1 to " + HIGHEST_PORT;
		}
		return "has no valid host: one has only letters, digits, '.' and, not at the ends, '-', "
				+ "or is an IPv6 address in brackets";
	}

	private static int database(@Nullable String path) {
		if (path == null || path.isEmpty() || path.equals("/")) {
			return 0;
		}
		try {
			return Integer.parseUnsignedInt(path.substring(1));
		}
		catch (NumberFormatException ex) {
			throw new IllegalArgumentException("has something else than the number of a database after the host");
		}
	}

	NodeServer server() {
		RedisStandaloneConfiguration configuration = new RedisStandaloneConfiguration(this.host, this.port);
		configuration.setDatabase(this.database);
		configuration.setUsername(this.username);
		configuration.setPassword(this.password);
		return (this.tls != null)
				? new NodeServer(configuration, this.password, this.tls.parameters(), this.tls.keys(), this.tls.trust())
				: new NodeServer(configuration, this.password, null, null, null);
	}

	/**
	 * The address as messages have it.
	 * @return the address without user and password
	 */
	@Override
	public String toString() {
		return ((this.tls != null) ? "rediss://" : "redis://") + this.host + ":" + this.port
				+ ((this.database != 0) ? "/" + this.database : "");
	}

}

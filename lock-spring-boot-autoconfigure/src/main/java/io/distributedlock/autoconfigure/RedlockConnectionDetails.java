package io.distributedlock.autoconfigure;

import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.service.connection.ConnectionDetails;
import org.springframework.boot.ssl.SslBundle;

/**
 * Details of the connections to the nodes of the store {@code redlock}. A bean of this
 * type replaces {@code distributed-lock.redlock.nodes} and the SSL bundle for them; a
 * test makes one of its containers.
 *
 * @since 0.1.0
 */
@FunctionalInterface
public interface RedlockConnectionDetails extends ConnectionDetails {

	/**
	 * The nodes: independent servers, an odd number of them, the same ones on all
	 * instances. Called once.
	 * @return the nodes
	 */
	List<Node> getNodes();

	/**
	 * A server of the quorum.
	 *
	 * @param host the host
	 * @param port the port
	 * @param username the user, or {@code null} for the default one
	 * @param password the password, or {@code null} for none
	 * @param database the number of the database
	 * @param sslBundle the certificates, protocols and ciphers, or {@code null} if the
	 * connection is not encrypted
	 */
	record Node(String host, int port, @Nullable String username, @Nullable String password, int database,
			@Nullable SslBundle sslBundle) {

		private static final int HIGHEST_PORT = 65_535;

		/**
		 * Create a node.
		 * @param host the host, not blank
		 * @param port the port, 1 to 65535
		 * @param username the user, or {@code null} for the default one
		 * @param password the password, or {@code null} for none
		 * @param database the number of the database
		 * @param sslBundle the certificates, protocols and ciphers, or {@code null} if
		 * the connection is not encrypted
		 * @throws IllegalArgumentException if there is no such host or port
		 */
		public Node {
			if (host.isBlank()) {
				throw new IllegalArgumentException("The host of a node must not be blank");
			}
			if (port < 1 || port > HIGHEST_PORT) {
				throw new IllegalArgumentException(
						"The port of node '%s' must be between 1 and %d but is %d".formatted(host, HIGHEST_PORT, port));
			}
		}

		/**
		 * Create a node without login and TLS, as a container is.
		 * @param host the host
		 * @param port the port
		 * @return the node
		 */
		public static Node of(String host, int port) {
			return new Node(host, port, null, null, 0, null);
		}

		/**
		 * The node as messages have it.
		 * @return host and port
		 */
		@Override
		public String toString() {
			return this.host + ':' + this.port;
		}

	}

}

package io.distributedlock.redis;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;

import org.jspecify.annotations.Nullable;

/**
 * TLS of the connections to an independent Redis server. The host name in the server's
 * certificate is always compared.
 *
 * @param keys the certificate of the client, or {@code null} for none
 * @param trust the authorities that the server's certificate may be of, or {@code null}
 * for those that the JVM trusts
 * @param parameters the protocols and ciphers, by default those of the JVM; the rest does
 * not count
 * @since 0.1.0
 */
public record RedisNodeTls(@Nullable KeyManagerFactory keys, @Nullable TrustManagerFactory trust,
		SSLParameters parameters) {

	/** The authorities that the JVM trusts, and no certificate of the client. */
	public static final RedisNodeTls DEFAULT = new RedisNodeTls(null, null, new SSLParameters());

	/**
	 * Create the TLS of connections.
	 * @param keys the certificate of the client, or {@code null} for none
	 * @param trust the authorities, or {@code null} for those of the JVM
	 * @param parameters the protocols and ciphers, of which it keeps a copy
	 */
	public RedisNodeTls {
		parameters = copy(parameters);
	}

	/**
	 * The protocols and ciphers.
	 * @return a copy: a change of it has no effect
	 */
	@Override
	public SSLParameters parameters() {
		return copy(this.parameters);
	}

	/** Copy what counts: the constant is shared by all that use it. */
	private static SSLParameters copy(SSLParameters parameters) {
		return new SSLParameters(parameters.getCipherSuites(), parameters.getProtocols());
	}

}

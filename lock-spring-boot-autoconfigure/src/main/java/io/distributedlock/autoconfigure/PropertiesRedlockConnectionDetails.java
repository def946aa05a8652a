package io.distributedlock.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLEngine;

import io.distributedlock.autoconfigure.diagnostics.InvalidLockPropertyException;
import io.distributedlock.redis.RedisNodeAddress;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.core.NestedExceptionUtils;

/**
 * The nodes that properties name. All that are reached by TLS have the same bundle.
 */
final class PropertiesRedlockConnectionDetails implements RedlockConnectionDetails {

	private static final String SSL_BUNDLE = DistributedLockProperties.PREFIX + ".redlock.ssl.bundle";

	private final DistributedLockProperties.Redlock properties;

	private final ObjectProvider<SslBundles> bundles;

	PropertiesRedlockConnectionDetails(DistributedLockProperties.Redlock properties,
			ObjectProvider<SslBundles> bundles) {
		this.properties = properties;
		this.bundles = bundles;
	}

	@Override
	public List<Node> getNodes() {
		String name = this.properties.ssl().bundle();
		SslBundle bundle = (name != null) ? bundle(name) : null;
		List<Node> nodes = new ArrayList<>();
		for (String node : this.properties.nodes()) {
			nodes.add(node(RedlockNodeSet.property(nodes.size()), node, bundle));
		}
		return nodes;
	}

	private static Node node(String property, String text, @Nullable SslBundle bundle) {
		RedisNodeAddress address = address(property, text);
		boolean tls = address.tls() != null;
		if (bundle != null && !tls) {
			throw new InvalidLockPropertyException(property, address,
					"is without TLS, and %s is set".formatted(SSL_BUNDLE),
					"Write rediss:// instead of redis://, or remove the bundle", null);
		}
		SslBundle own = (bundle != null) ? bundle : tls ? SslBundle.systemDefault() : null;
		return new Node(address.host(), address.port(), address.username(), address.password(), address.database(),
				own);
	}

	private static RedisNodeAddress address(String property, String node) {
		try {
			return RedisNodeAddress.parse(node);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidLockPropertyException(property, "****", String.valueOf(ex.getMessage()),
					"Write redis://user:password@host:port/database, or rediss:// for TLS; special characters of the "
							+ "password are percent-encoded",
					null);
		}
	}

	private SslBundle bundle(String name) {
		SslBundles bundles = this.bundles.getIfAvailable();
		if (bundles == null) {
			throw new InvalidLockPropertyException(SSL_BUNDLE, name, "needs an SslBundles bean, and there is none",
					"Let Spring Boot make it: remove the exclusion of its SslAutoConfiguration, or import that in a test "
							+ "of a slice",
					null);
		}
		try {
			SslBundle bundle = bundles.getBundle(name);
			// Unreadable files and unknown protocols show here, not at the first
			// connection.
			SSLEngine engine = bundle.createSslContext().createSSLEngine();
			engine.setSSLParameters(JedisForLocks.parameters(bundle.getOptions()));
			return bundle;
		}
		catch (NoSuchSslBundleException ex) {
			throw new InvalidLockPropertyException(SSL_BUNDLE, name,
					"names no SSL bundle; there are " + bundles.getBundleNames(),
					"Correct the name, or declare the bundle: spring.ssl.bundle.pem.%1$s or spring.ssl.bundle.jks.%1$s"
						.formatted(name),
					ex);
		}
		catch (RuntimeException ex) {
			throw new InvalidLockPropertyException(SSL_BUNDLE, name,
					"cannot be used: " + NestedExceptionUtils.getMostSpecificCause(ex).getMessage(),
					"Correct spring.ssl.bundle.*.%s".formatted(name), ex);
		}
	}

}

package io.distributedlock.redis;

import java.security.NoSuchAlgorithmException;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class RedisNodeTlsTests {

	/** A change of the parameters was one for the TLS of all nodes. */
	@Test
	void tlsWhenItsParametersChangeStaysAsItWas() {
		RedisNodeTls.DEFAULT.parameters().setProtocols(new String[] { "TLSv1" });
		assertThat(RedisNodeTls.DEFAULT.parameters().getProtocols()).isNull();
		SSLParameters mine = new SSLParameters(new String[] { "TLS_AES_128_GCM_SHA256" }, new String[] { "TLSv1.3" });
		RedisNodeTls tls = new RedisNodeTls(null, null, mine);
		mine.setProtocols(new String[] { "TLSv1" });
		mine.setCipherSuites(new String[0]);
		assertThat(tls.parameters().getProtocols()).containsExactly("TLSv1.3");
		assertThat(tls.parameters().getCipherSuites()).containsExactly("TLS_AES_128_GCM_SHA256");
	}

	@Test
	void tlsKeepsTheOrderOfProtocolsAndCiphers() throws NoSuchAlgorithmException {
		SSLParameters all = SSLContext.getDefault().getSupportedSSLParameters();
		RedisNodeTls tls = new RedisNodeTls(null, null, all);
		assertThat(tls.parameters().getProtocols()).containsExactly(all.getProtocols());
		assertThat(tls.parameters().getCipherSuites()).containsExactly(all.getCipherSuites());
	}

}

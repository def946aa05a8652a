package io.distributedlock.autoconfigure;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A certificate authority for one test. The JDK has nothing public that makes a
 * certificate, and its keytool takes a second for each step.
 */
final class TestAuthority {

	private static final AtomicLong SERIAL = new AtomicLong(System.nanoTime());

	private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'")
		.withZone(ZoneOffset.UTC);

	private static final byte[] SIGNED_BY = tagged(0x30, oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02));

	private final String name;

	private final KeyPair keys = keys();

	TestAuthority(String name) {
		this.name = name;
	}

	/** The certificate of the authority, for those that trust it. */
	String certificate() {
		Instant now = Instant.now();
		byte[] authority = extension(new byte[] { 0x55, 0x1d, 0x13 }, tagged(0x30, tagged(0x01, new byte[] { -1 })));
		return pem("CERTIFICATE",
				sign(this.name, this.keys, now.minus(Duration.ofDays(2)), now.plus(Duration.ofDays(2)), authority));
	}

	/** Issue an identity for a server on this machine, or a client. */
	Identity issue() {
		return issue(new byte[] { 127, 0, 0, 1 }, 0x87, Duration.ofDays(1));
	}

	Identity issueForHost(String host) {
		return issue(host.getBytes(StandardCharsets.US_ASCII), 0x82, Duration.ofDays(1));
	}

	/** Issue an identity that has expired. */
	Identity issueExpired() {
		return issue(new byte[] { 127, 0, 0, 1 }, 0x87, Duration.ofHours(-1));
	}

	private Identity issue(byte[] subject, int kind, Duration left) {
		KeyPair own = keys();
		Instant until = Instant.now().plus(left);
		byte[] names = extension(new byte[] { 0x55, 0x1d, 0x11 }, tagged(0x30, tagged(kind, subject)));
		byte[] certificate = sign("test", own, until.minus(Duration.ofDays(2)), until, names);
		return new Identity(pem("CERTIFICATE", certificate), pem("PRIVATE KEY", own.getPrivate().getEncoded()));
	}

	private byte[] sign(String subject, KeyPair of, Instant from, Instant until, byte[] extension) {
		byte[] content = tagged(0x30,
				joined(tagged(0xa0, tagged(0x02, new byte[] { 2 })),
						tagged(0x02, BigInteger.valueOf(SERIAL.incrementAndGet()).toByteArray()), SIGNED_BY,
						called(this.name), tagged(0x30, joined(time(from), time(until))), called(subject),
						of.getPublic().getEncoded(), tagged(0xa3, tagged(0x30, extension))));
		try {
			Signature signature = Signature.getInstance("SHA256withECDSA");
			signature.initSign(this.keys.getPrivate());
			signature.update(content);
			return tagged(0x30, joined(content, SIGNED_BY, tagged(0x03, joined(new byte[1], signature.sign()))));
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static KeyPair keys() {
		try {
			KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
			generator.initialize(256);
			return generator.generateKeyPair();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static byte[] extension(byte[] kind, byte[] value) {
		return tagged(0x30, joined(tagged(0x06, kind), tagged(0x04, value)));
	}

	private static byte[] called(String name) {
		byte[] value = joined(oid(0x55, 0x04, 0x03), tagged(0x0c, name.getBytes(StandardCharsets.UTF_8)));
		return tagged(0x30, tagged(0x31, tagged(0x30, value)));
	}

	private static byte[] time(Instant time) {
		return tagged(0x18, TIME.format(time).getBytes(StandardCharsets.US_ASCII));
	}

	private static byte[] oid(int... bytes) {
		byte[] value = new byte[bytes.length];
		for (int i = 0; i < bytes.length; i++) {
			value[i] = (byte) bytes[i];
		}
		return tagged(0x06, value);
	}

	/** A value of DER. */
	private static byte[] tagged(int tag, byte[] value) {
		int length = value.length;
		byte[] head = (length < 0x80) ? new byte[] { (byte) tag, (byte) length }
				: (length < 0x100) ? new byte[] { (byte) tag, (byte) 0x81, (byte) length }
						: new byte[] { (byte) tag, (byte) 0x82, (byte) (length >> 8), (byte) length };
		return joined(head, value);
	}

	private static byte[] joined(byte[]... parts) {
		ByteArrayOutputStream all = new ByteArrayOutputStream();
		for (byte[] part : parts) {
			all.writeBytes(part);
		}
		return all.toByteArray();
	}

	private static String pem(String kind, byte[] content) {
		String text = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content);
		return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, text, kind);
	}

	/**
	 * The proof of who a server or client is, as PEM.
	 *
	 * @param certificate the certificate
	 * @param key the private key
	 */
	record Identity(String certificate, String key) {
	}

}

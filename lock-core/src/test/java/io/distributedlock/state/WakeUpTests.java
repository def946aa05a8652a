package io.distributedlock.state;

import java.util.stream.Stream;

import io.distributedlock.store.LockKey;
import io.distributedlock.store.RequestId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class WakeUpTests {

	private static final RequestId REQUEST = RequestId.of(0xfedc_ba98_7654_3210L, 7, 42, 5);

	private static final String INSTANCE = REQUEST.instance();

	static Stream<WakeUp> messages() {
		return Stream.of(new WakeUp(new LockKey("orders", "42"), INSTANCE, null),
				new WakeUp(new LockKey("", "a b  c"), INSTANCE, REQUEST),
				new WakeUp(new LockKey("n\n", "\uD83D\uDD12\u2028"), INSTANCE, REQUEST, (1L << 53) - 1),
				new WakeUp(new LockKey("long".repeat(100), "key"), INSTANCE, REQUEST, WakeUp.REVOKED));
	}

	@ParameterizedTest
	@MethodSource("messages")
	void messageIsReadFromItsText(WakeUp message) {
		assertThat(WakeUp.ofEncoded(message.encoded())).isEqualTo(message);
	}

	@Test
	void textHasTheKeyAtItsEnd() {
		assertThat(new WakeUp(new LockKey("orders", "42"), INSTANCE, REQUEST, 9).encoded())
			.isEqualTo("fedcba9876543210 " + REQUEST + " 9 orders:42");
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "orders:42", "fedcba9876543210  0 ", "fedcba9876543210 1 0 a:b",
			"fedcba9876543210  123456789012345678901 a:b" })
	void textOfSomethingElseIsRefused(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> WakeUp.ofEncoded(text)).withMessageContaining(text);
	}

}

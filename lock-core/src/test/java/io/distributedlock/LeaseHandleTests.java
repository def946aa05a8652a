package io.distributedlock;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

class LeaseHandleTests {

	private static final String REQUEST = "00112233445566778899aabbccddeeff";

	@Test
	void handleIsReadAsItWasWritten() {
		LeaseHandle handle = new LeaseHandle("or;ders~",
				List.of(new LeaseHandle.Part(REQUEST, List.of("a,b", "c d", "\uD800\0", "{x}:\uD83D\uDE00"), 1L << 52),
						new LeaseHandle.Part(REQUEST, List.of("42"), 0)));
		assertThat(LeaseHandle.parse(handle.toString())).isEqualTo(handle);
		assertThat(handle.toString()).matches("[!-~]+");
	}

	@Test
	void handleOfAPlainKeyIsReadable() {
		LeaseHandle handle = new LeaseHandle("", List.of(new LeaseHandle.Part(REQUEST, List.of("order:42"), 7)));
		assertThat(handle).hasToString(";" + REQUEST + ",7,order:42");
	}

	@ParameterizedTest
	@NullSource
	@ValueSource(strings = { "", ";", ";" + REQUEST, ";" + REQUEST + ",7", ";" + REQUEST + ",x,a", ";00,7,a",
			";00112233445566778899AABBCCDDEEFF,7,a" })
	void textThatIsNoHandleIsRefused(String text) {
		assertThatIllegalArgumentException().isThrownBy(() -> LeaseHandle.parse(text))
			.withMessageContaining("LeaseHandle")
			.withMessageContaining("'" + text + "'");
	}

}

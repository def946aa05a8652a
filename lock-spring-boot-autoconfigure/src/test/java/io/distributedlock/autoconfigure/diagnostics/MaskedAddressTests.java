package io.distributedlock.autoconfigure.diagnostics;

import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * {@link MaskedAddress}: what is shown of addresses, and of what was meant to be one.
 */
class MaskedAddressTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			redis://a:1                            | redis://a:1
			redis://a:1/2                          | redis://a:1/2
			rediss://[::1]:6379/3                  | rediss://[::1]:6379/3
			a:1                                    | a:1
			redis://user:secret@a:1/2              | redis://user:****@a:1/2
			redis://:secret@a:1                    | redis://:****@a:1
			redis://secret@a:1                     | redis://****@a:1
			rediss://user:secret@[::1]:1           | rediss://user:****@[::1]:1
			redis://user:sec{ret@a:1               | redis://user:****@a:1
			redis://user:sec@ret@a:1               | redis://user:****@a:1
			redis://user:sec/ret?#@a:1             | redis://user:****@a:1
			redis://user:sec:ret@a:1               | redis://user:****@a:1
			user:secret@a:1                        | user:****@a:1
			user:pa://secret@a:1                   | user:****@a:1
			secret@a:1                             | ****@a:1
			http://user:secret@a                   | http://user:****@a
			redis://user:secret                    | redis://user:****
			redis://user:1secret                   | redis://user:****
			redis://user:sec/ret                   | redis://user:****
			user:secret                            | user:****
			redis://user:secret@a:1/locks          | redis://user:****@a:1/locks
			redis://a:1?password=secret            | redis://a:****
			redis://a?password=secret              | redis://a?****
			redis://user:secret@a:1/2?key=secret   | redis://user:****@a:1/2?****
			redis://user:secret@a:1#secret         | redis://user:****@a:****
			7s                                     | 7s
			''                                     | ''
			""")
	void addressWhenShownHasNoPassword(String address, String shown) {
		assertThat(MaskedAddress.of(address)).isEqualTo(shown);
		assertThat(MaskedAddress.of(List.of(address, address))).containsExactly(shown, shown);
	}

}

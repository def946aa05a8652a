package io.distributedlock.migration;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class SpelTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			a-#{#id}            | 'a-' + #id
			#{#id}              | #id
			#{#id}-b            | '' + #id + '-b'
			#{#a}#{#b}          | '' + #a + #b
			a#{#b ?: '}'}c      | 'a' + (#b ?: '}') + 'c'
			a#{{#b, #c}}        | 'a' + ({#b, #c})
			it's                | 'it''s'
			""")
	void templateBecomesAnExpression(String template, String expression) {
		assertThat(Spel.ofTemplate(template)).isEqualTo(expression);
	}

	@Test
	void templateWithoutItsBraceHasNoExpression() {
		assertThat(Spel.ofTemplate("a#{#b")).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "region", "#id + region", "'a' + (size())", "getId() == 1" })
	void plainNameIsAPropertyOfTheRoot(String expression) {
		assertThat(Spel.usesRoot(expression)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "#id", "#order.id", "@bean.name", "'region'", "#a ?: null", "T(java.time.Clock).systemUTC()",
					"#cart.![item]", "#a eq #b and not #c", "#root.target.region", "new java.util.Date(#a)" })
	void otherNamesAreNotOfTheRoot(String expression) {
		assertThat(Spel.usesRoot(expression)).isFalse();
	}

	@Test
	void expressionsAreJoinedToOne() {
		assertThat(Spel.join(List.of("#a", "#b.c()", "#d + 1", "'e'"), "."))
			.isEqualTo("#a + '.' + #b.c() + '.' + (#d + 1) + '.' + 'e'");
	}

}

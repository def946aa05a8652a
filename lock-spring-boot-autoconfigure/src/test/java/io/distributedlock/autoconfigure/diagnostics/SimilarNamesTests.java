package io.distributedlock.autoconfigure.diagnostics;

import java.util.List;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/** What passes for a misspelt name. */
class SimilarNamesTests {

	@Test
	void nearestWhenAFewLettersDifferIsFound() {
		assertThat(SimilarNames.nearest("stcok", List.of("outer", "stock"))).isEqualTo("stock");
		assertThat(SimilarNames.nearest("ap", List.of("api", "stock"))).isEqualTo("api");
		assertThat(SimilarNames.nearest("aip", List.of("api"))).isEqualTo("api");
		assertThat(SimilarNames.nearest("ordres", List.of("outer", "stock"))).isNull();
	}

	/** Any two short names are within two letters of each other. */
	@Test
	void nearestWhenAShortNameHasHardlyALetterInCommonIsNone() {
		assertThat(SimilarNames.nearest("p", List.of("api"))).isNull();
		assertThat(SimilarNames.nearest("p", List.of("q"))).isNull();
		assertThat(SimilarNames.nearest("db", List.of("io"))).isNull();
		assertThat(SimilarNames.nearest("pool", List.of("q"))).isNull();
	}

}
